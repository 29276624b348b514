import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { FeatureReporter } from "./scripts/feature-reporter.ts";

const anywhere = "{packages,apps,scripts,e2e,bench}";
const exclude = [...configDefaults.exclude, "**/dist/**", "**/gen/**", "**/fixtures/**"];

// Test files share a process, because loading modules takes most of the time of a run. Each file must clean up after itself.
// They spend three fifths of their time waiting for child processes, leases and databases, so four workers pay off even on two cores.
const shared = {
  isolate: false,
  exclude,
  setupFiles: "scripts/testing/seed-properties.ts",
  environment: "node",
  // Many tests start programs of this repository. Compiling their sources takes most of the time of a short program.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
  maxWorkers: 4,
  // Long enough for a busy machine. Only failing tests wait that long.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
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
          exclude: [...exclude, "**/*.db.test.ts", "**/*.host.test.ts", "**/*.long.test.ts"],
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
      {
        test: {
          ...story("e2e-long"),
          include: ["e2e/long/*.e2e.ts", `${anywhere}/**/*.long.test.ts`],
          sequence: { groupOrder: 3 },
        },
      },
      // Needs root and a network namespace of its own: `npm run test:hosts`.
      {
        test: {
          ...story("hosts"),
          include: [`${anywhere}/**/*.host.test.ts`],
          maxWorkers: 1,
          sequence: { groupOrder: 5 },
        },
      },
      // Needs the real Terraform providers, which are not on every machine.
      { test: { ...story("conformance"), include: ["e2e/conformance/*/*.e2e.ts"], sequence: { groupOrder: 4 } } },
    ],
  },
});

// An end-to-end suite starts its own servers and mostly waits for them. Three suites run at a time, each in a new process.
function story(name: string) {
  return {
    ...shared,
    name,
    isolate: true,
    pool: "forks" as const,
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  };
}
