import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Chaos and end-to-end files start processes of their own and mostly wait: three at a time keep two cores busy.
    maxWorkers: 3,
  },
});
