import { appendFile, mkdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";
import { findRecord, writeRecord, type RecordedTest } from "./features/record.ts";

/** Writes the title, file and state of every test to files under .cache/, for `npm run features`. */
export class FeatureReporter implements Reporter {
  #root = process.cwd();
  #filtered = false;

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
    this.#filtered = vitest.config.testNamePattern !== undefined;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    for (const module of modules) await this.#record(module);
    await this.#count(modules);
  }

  async #record(module: TestModule): Promise<void> {
    const file = relative(this.#root, module.moduleId).replaceAll(sep, "/");
    const fresh = [...module.children.allTests()].map(toRecord);
    // With -t, most tests of a file are skipped on purpose. Their previous results are kept.
    const known = this.#filtered ? ((await findRecord(this.#root, file))?.tests ?? []) : [];
    const ran = this.#filtered ? fresh.filter((test) => test.state !== "skipped") : fresh;
    const kept = known.filter((test) => !ran.some((other) => other.title === test.title));
    await writeRecord(this.#root, { file, broken: isBroken(module), tests: [...kept, ...ran] });
  }

  async #count(modules: readonly TestModule[]): Promise<void> {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const of = (state: string): number => states.filter((other) => other === state).length;
    const counts = { passed: of("passed"), failed: of("failed") + modules.filter(isBroken).length, skipped: of("skipped") };
    await mkdir(join(this.#root, ".cache"), { recursive: true });
    await appendFile(join(this.#root, ".cache", "test-counts.jsonl"), `${JSON.stringify(counts)}\n`);
  }
}

function toRecord(test: TestCase): RecordedTest {
  const result = test.result();
  const reason = result.state === "skipped" ? result.note : undefined;
  const state = result.state === "passed" || result.state === "failed" ? result.state : "skipped";
  return { title: test.fullName, state, ...(reason === undefined ? {} : { reason }) };
}

function isBroken(module: TestModule): boolean {
  return module.errors().length > 0 || [...module.children.allSuites()].some((suite) => suite.errors().length > 0);
}
