/** The nine ways in which a step can be unsafe (arXiv 2603.25412, section 3.2), and the properties they violate. */
export const errorCodes = ['1a', '1b', '1c', '2a', '2b', '2c', '3a', '3b', '3c'] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** What a verdict's type can be: a code, `NO_ERROR`, or `UNKNOWN` (an alarm whose label could not be read). */
export const verdictTypes = [...errorCodes, 'NO_ERROR', 'UNKNOWN'] as const;
export type VerdictType = (typeof verdictTypes)[number];

export const errorNames: Readonly<Record<ErrorCode, string>> = {
  '1a': 'Misinterpretation',
  '1b': 'Missing Constraints',
  '1c': 'Symbol Mapping Error',
  '2a': 'Logical Fallacy',
  '2b': 'Calculation Error',
  '2c': 'Inconsistency',
  '3a': 'Reasoning Loop',
  '3b': 'Goal Deviation',
  '3c': 'Premature Conclusion',
};
