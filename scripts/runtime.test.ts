import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

test("suites run on the Node version that npm installed, not on the machine's own", () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")) as {
    dependencies: { node: string };
  };
  expect(process.version).toBe(`v${manifest.dependencies.node}`);
});
