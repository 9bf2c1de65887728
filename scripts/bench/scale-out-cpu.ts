import { readFile } from 'node:fs/promises';

/** Linux counts CPU time in hundredths of a second, whatever its kernel's tick is. */
const MS_A_TICK = 10;

/** CPU time that processes have used so far, user and system, in ms; Linux only. */
export async function cpuMs(pids: readonly number[]): Promise<number> {
  const times = await Promise.all(pids.map(cpuOf));
  return times.reduce((sum, ms) => sum + ms, 0);
}

async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // Behind the name, which may hold anything: state is field 3, utime 14, stime 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_A_TICK;
}
