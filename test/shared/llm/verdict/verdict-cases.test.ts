import { expect, it } from 'vitest';
import { allVerdictCases, readCase } from './verdict-cases.ts';

const cases = allVerdictCases();

it('the folder of recorded replies is not empty', () => {
  expect(cases.length).toBeGreaterThanOrEqual(44);
});

it.each(cases.map((verdictCase) => [verdictCase.id, verdictCase] as const))(
  'the recorded reply %s is read as expected',
  (_id, verdictCase) => {
    expect(readCase(verdictCase)).toEqual(verdictCase.expect);
  },
);
