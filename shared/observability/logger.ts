import { destination as openDestination, pino, stdSerializers, stdTimeFunctions, type Logger } from 'pino';
import { PinoPretty } from 'pino-pretty';
import { terminalText } from '../core/terminal-text.ts';

/** Fields whose value is never printed, at the top of a log object and up to two levels down. */
const secretFields = [
  'authorization',
  'Authorization',
  'apiKey',
  'api_key',
  '["api-key"]',
  '["x-api-key"]',
  'password',
  'secret',
];

/**
 * ioredis attaches the failed command to its errors: that of AUTH holds the password, and that of a script the texts of
 * a chain.
 */
const redactedPaths = [
  ...['', '*', '*.*'].flatMap((parent) => secretFields.map((field) => joinPath(parent, field))),
  'err.command.args',
  'err.cause.command.args',
];

export interface LoggerOptions {
  readonly level: string;
  /** Absent: `pretty` when standard error is a terminal, else `json`. */
  readonly format?: 'pretty' | 'json';
  readonly name: string;
  /** Colours in `pretty`. Absent: on a terminal. */
  readonly color?: boolean;
  /** Where lines go: a file descriptor or a path. Standard error by default: standard output is for results. */
  readonly destination?: number | string;
}

/**
 * The root of all loggers of a process; children come from `log.child(...)`. Secrets are cut here, for all of them: by
 * the name of the field, and passwords within URLs wherever they stand in a line. Lines are written synchronously, so
 * that the last words of a dying process are not lost.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { level, name, destination = 2 } = options;
  const isTerminal = destination === 2 && process.stderr.isTTY;
  const format = options.format ?? (isTerminal ? 'pretty' : 'json');
  const stream =
    format === 'json'
      ? openDestination({ dest: destination, sync: true })
      : PinoPretty({
          destination,
          sync: true,
          colorize: options.color ?? isTerminal,
          ignore: 'pid,hostname,event',
          translateTime: 'SYS:HH:MM:ss.l',
        });
  return pino(
    {
      name,
      level,
      redact: { paths: redactedPaths, censor: '[redacted]' },
      serializers: { err: stdSerializers.err },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: format === 'json' ? cutUrlPasswords : (line) => keepVisible(cutUrlPasswords(line)),
      },
    },
    stream,
  );
}

/** `redis://user:secret@host` becomes `redis://user:***@host`. Linear in the length of the line. */
export function cutUrlPasswords(line: string): string {
  return line.replace(/:\/\/([^:@/\s"]*):[^@/\s"]+@/g, '://$1:***@');
}

/**
 * A JSON line whose texts, once read, hold no character that a terminal obeys: `pretty` prints them as they are.
 * Line feeds and tabs stay.
 */
function keepVisible(line: string): string {
  return line.replace(/\\(?:u00[01][0-9a-f]|[^])|[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, (part) => {
    if (!part.startsWith('\\')) return `\\${terminalText(part)}`;
    return /^\\(?:u00|[bfr])/.test(part) ? `\\${part}` : part;
  });
}

function joinPath(parent: string, field: string): string {
  if (parent === '') return field;
  return field.startsWith('[') ? `${parent}${field}` : `${parent}.${field}`;
}
