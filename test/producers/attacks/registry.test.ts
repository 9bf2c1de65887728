import { describe, expect, it } from 'vitest';
import { attackNames, findAttack } from '../../../producers/attacks/registry.ts';

describe('the registry of attacks', () => {
  it('finds every attack under its own name, and nothing under another', () => {
    for (const name of attackNames) expect(findAttack(name)?.name).toBe(name);
    expect(findAttack('badchan')).toBeUndefined();
    expect(findAttack('__proto__')).toBeUndefined();
  });

  it.each(attackNames)('%s accepts no parameters at all, and refuses unknown ones by name', (name) => {
    const schema = findAttack(name)?.parametersSchema;
    expect(schema?.safeParse({}).success).toBe(true);
    expect(schema?.safeParse({ triger: 'x' }).error?.message).toContain('triger');
  });
});
