import { expect, it } from 'vitest';
import { Slots } from '../../../workers/monitor/slots.ts';

const never = new AbortController().signal;

/** What has been let in so far, in order. */
function queueUp(slots: Slots, names: string, signal = never) {
  const entered: string[] = [];
  const leave = new Map<string, () => void>();
  const all = Array.from(names).map(async (name) => {
    leave.set(name, await slots.take(signal));
    entered.push(name);
  });
  return { entered, leave, all };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('lets in as many as the limit, and the others in the order in which they came', async () => {
  const { entered, leave } = queueUp(new Slots(2), 'abcd');
  await turn();
  expect(entered).toEqual(['a', 'b']);
  leave.get('b')?.();
  await turn();
  expect(entered).toEqual(['a', 'b', 'c']);
});

it('counts a slot that is given back twice once', async () => {
  const { entered, leave } = queueUp(new Slots(1), 'abc');
  await turn();
  leave.get('a')?.();
  leave.get('a')?.();
  await turn();
  expect(entered).toEqual(['a', 'b']);
});

it('who gives up waiting keeps nobody out', async () => {
  const slots = new Slots(1);
  const { leave } = queueUp(slots, 'a');
  const controller = new AbortController();
  const waiting = slots.take(controller.signal);
  controller.abort();
  await expect(waiting).rejects.toThrow('aborted');
  const { entered } = queueUp(slots, 'b');
  leave.get('a')?.();
  await turn();
  expect(entered).toEqual(['b']);
});

it('a raised limit lets waiting ones in at once, a lowered one holds as slots are given back', async () => {
  const slots = new Slots(1);
  const { entered, leave } = queueUp(slots, 'abcd');
  slots.setLimit(3);
  await turn();
  expect(entered).toEqual(['a', 'b', 'c']);
  slots.setLimit(1);
  leave.get('a')?.();
  leave.get('b')?.();
  await turn();
  expect(entered).toEqual(['a', 'b', 'c']);
  leave.get('c')?.();
  await turn();
  expect(entered).toEqual(['a', 'b', 'c', 'd']);
});
