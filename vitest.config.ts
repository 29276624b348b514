import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { FeatureReporter } from "./scripts/feature-reporter.ts";

const anywhere = "{packages,apps,scripts,e2e,bench}";
const exclude = [...configDefaults.exclude, "**/dist/**", "**/gen/**", "**/fixtures/**"];

// Suites of one project share a process: modules load once, which is most of the time of a run. A suite cleans up after itself.
// Most of them wait for children and databases, so that two at a time pay even where there is one core; four share one PostgreSQL well.
const shared = {
  isolate: false,
  exclude,
  environment: "node",
  maxWorkers: Math.min(4, Math.max(2, availableParallelism())),
  // For machines under load: what holds is seen at once, what does not is worth the wait.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
} as const;

export default defineConfig({
  test: {
    reporters: ["default", new FeatureReporter()],
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: [`${anywhere}/**/*.test.ts`],
          exclude: [...exclude, "**/*.db.test.ts"],
          pool: "threads",
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "db",
          include: [`${anywhere}/**/*.db.test.ts`],
          globalSetup: ["packages/store/src/testing/global-setup.ts"],
          pool: "forks",
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...story("e2e"), include: ["e2e/*.e2e.ts"], sequence: { groupOrder: 2 } } },
      { test: { ...story("e2e-long"), include: ["e2e/long/*.e2e.ts"], sequence: { groupOrder: 3 } } },
    ],
  },
});

// A story starts whole servers of its own, so only one runs at a time and each gets a fresh process.
function story(name: string) {
  return {
    ...shared,
    name,
    isolate: true,
    pool: "forks" as const,
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  };
}
