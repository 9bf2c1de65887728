import { createWriteStream } from 'node:fs';
import type { Written } from './deliver-reply.ts';
import type { SimulatorLogEntry, SimulatorSettings } from './simulator-options.ts';

/** A request that is being answered. */
export interface OpenEntry {
  readonly requestIndex: number;
  readonly messagesHash: string;
  fault?: string;
}

type Asked = Pick<SimulatorLogEntry, 'model' | 'body' | 'seed' | 'messagesHash'>;

export interface RequestLog {
  open(asked: Asked, written: Written): OpenEntry;
  close(entry: OpenEntry, status: number): void;
  entries(): SimulatorLogEntry[];
  openCount(): number;
  end(): Promise<void>;
}

/** Keeps the latest entries in memory and appends each to the log file, if there is one. */
export function createRequestLog(
  { logFile, logEntries }: Pick<SimulatorSettings, 'logEntries'> & { logFile?: string },
  onClosed: (entry: SimulatorLogEntry) => void = () => undefined,
): RequestLog {
  const file = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a' });
  const kept: SimulatorLogEntry[] = [];
  const open = new Map<OpenEntry, { asked: Asked; written: Written; receivedAtMs: number }>();
  let received = 0;
  return {
    open: (asked, written) => {
      const entry: OpenEntry = { requestIndex: received, messagesHash: asked.messagesHash };
      received += 1;
      open.set(entry, { asked, written, receivedAtMs: Date.now() });
      return entry;
    },
    close: (entry, status) => {
      const opened = open.get(entry);
      if (opened === undefined) return;
      open.delete(entry);
      const closed = buildEntry(entry, opened, status);
      kept.push(closed);
      if (kept.length > logEntries) kept.shift();
      file?.write(`${JSON.stringify(closed)}\n`);
      onClosed(closed);
    },
    entries: () => [...kept],
    openCount: () => open.size,
    end: () =>
      new Promise((resolve) => {
        if (file === undefined) resolve();
        else file.end(() => resolve());
      }),
  };
}

function buildEntry(
  { requestIndex, fault }: OpenEntry,
  { asked, written, receivedAtMs }: { asked: Asked; written: Written; receivedAtMs: number },
  status: number,
): SimulatorLogEntry {
  return {
    id: `request-${requestIndex}`,
    requestIndex,
    receivedAtMs,
    closedAtMs: Date.now(),
    ...asked,
    status,
    ...(fault === undefined ? {} : { fault }),
    reasoning: written.reasoning.join(''),
    content: written.content.join(''),
    tokensWritten: written.tokens,
    finishReason: written.finishReason,
    closed: written.closed,
  };
}
