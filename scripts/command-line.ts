/** A command that a person can paste: as `haltline` was started here, arguments quoted for a POSIX shell where needed. */
export function commandLine(args: readonly string[]): string {
  const quoted = args.map((arg) =>
    /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`,
  );
  const command = process.env.npm_lifecycle_event === 'haltline' ? 'npm run haltline --' : 'haltline';
  return [command, ...quoted].join(' ');
}
