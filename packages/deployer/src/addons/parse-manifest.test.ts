import { expect, test } from "vitest";
import { parseManifest } from "./parse-manifest.ts";

const signal = new AbortController().signal;
const map = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;

test("M131 the objects of a manifest are parsed, and empty documents are left out", async () => {
  const objects = await parseManifest(`---\n# Source: a\n${map("one")}---\n---\n${map("two")}`, { signal });
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(["one", "two"]);
});

test("X063 a manifest that takes too long to parse fails, and the agent stays responsive", async () => {
  const yaml = `${map("slow")}data: [${"a, ".repeat(1_500_000)}]\n`;
  let turns = 0;
  const ticking = setInterval(() => (turns += 1), 10);
  const parsing = parseManifest(yaml, { signal, timeoutMs: 500 });
  await expect(parsing).rejects.toMatchObject({ code: "deployer.helm_failed" });
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(0);
});

test("X063 a map with very many keys is parsed", async () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => `  k${index}: x\n`).join("");
  expect(await parseManifest(`${map("large")}data:\n${keys}`, { signal })).toHaveLength(1);
});

test("M131 parsing ends with the task", async () => {
  const stop = new AbortController();
  const parsing = parseManifest(map("one"), { signal: stop.signal });
  stop.abort(new Error("the task was cancelled"));
  await expect(parsing).rejects.toThrow("the task was cancelled");
});
