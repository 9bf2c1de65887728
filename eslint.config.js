import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Imports run scripts -> producers, workers -> shared, and never back; no worker imports another. */
function forbids(files, patterns) {
  return {
    files,
    rules: {
      'no-restricted-imports': ['error', { patterns: patterns.map((group) => ({ group: [group] })) }],
    },
  };
}

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/', 'results/', 'coverage/', '.cache/'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js', 'scripts/*.mjs'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/consistent-type-assertions': [
        'error',
        { assertionStyle: 'as', objectLiteralTypeAssertions: 'never' },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['**/*.mjs', 'eslint.config.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
  forbids(['shared/**/*.ts'], ['**/workers/**', '**/producers/**', '**/scripts/**']),
  forbids(
    ['shared/core/**/*.ts'],
    [
      'node:*',
      'ioredis',
      'bullmq',
      'pino',
      'openai',
      '**/redis/**',
      '**/llm/**',
      '**/observability/**',
      '**/workers/**',
      '**/producers/**',
      '**/scripts/**',
    ],
  ),
  forbids(
    ['shared/schemas/**/*.ts'],
    ['node:*', 'ioredis', 'bullmq', 'pino', 'openai', '**/redis/**', '**/llm/**', '**/observability/**'],
  ),
  forbids(['producers/**/*.ts'], ['**/workers/**', '**/scripts/**']),
  forbids(
    ['workers/generation/**/*.ts'],
    ['**/producers/**', '**/scripts/**', '**/monitor/**', '**/metrics/**'],
  ),
  forbids(
    ['workers/monitor/**/*.ts'],
    ['**/producers/**', '**/scripts/**', '**/generation/**', '**/metrics/**'],
  ),
  forbids(
    ['workers/metrics/**/*.ts'],
    ['**/producers/**', '**/scripts/**', '**/generation/**', '**/monitor/**'],
  ),
);
