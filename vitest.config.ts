import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Chaos and end-to-end files each start their own processes; two at a time is what two cores carry.
    maxWorkers: 2,
  },
});
