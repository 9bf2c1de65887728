import { expect, test } from 'vitest';
import { errorCodeOf } from '../../../shared/core/source-labels.ts';

test('a label of a known source stands for the subtype that it comes near', () => {
  expect(errorCodeOf('prmbench_step_contradiction', 'step_contradiction')).toBe('2c');
  expect(errorCodeOf('eic_gsm8k', 'unit_conversion_error')).toBe('1c');
  expect(errorCodeOf('verify_then_generate', 'Misunderstanding of a question')).toBe('1a');
});

test('a set whose task allows one kind of error needs no label', () => {
  expect(errorCodeOf('bigbench_mistake_dyck_languages', undefined)).toBe('2c');
  expect(errorCodeOf('bigbench_mistake_word_sorting', undefined)).toBeUndefined();
  expect(errorCodeOf('processbench_math', undefined)).toBeUndefined();
});

test('several labels stand for a subtype only when all of them stand for the same', () => {
  expect(errorCodeOf('roscoe_drop', 'Arithmetic; Arithmetic')).toBe('2b');
  expect(errorCodeOf('roscoe_drop', 'Arithmetic; Coherency and Logic')).toBeUndefined();
  expect(errorCodeOf('roscoe_drop', 'Arithmetic; Commonsense')).toBeUndefined();
});

test('an unknown label, another source with the same label, and names of object members stand for none', () => {
  expect(errorCodeOf('prmbench_confidence', 'confidence')).toBeUndefined();
  expect(errorCodeOf('my_chains', 'calculation_error')).toBeUndefined();
  expect(errorCodeOf('eic_gsm8k', 'constructor')).toBeUndefined();
});
