import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadPlugins } from "./load-plugins.ts";

function write(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "plug-in-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "plug-in.mjs");
  writeFileSync(path, text);
  return path;
}

const functions = "variables() {}, environment() {}, status() {}, findUntagged() {}";

test("M074 a plug-in adds stacks and configuration folders", async () => {
  const path = write(
    `export default { stacks: [{ service: "queue", cloud: "aws", ${functions} }], configurations: [import.meta.dirname] };`,
  );
  const [plugin] = await loadPlugins([path]);
  expect(plugin).toMatchObject({ path, stacks: [{ service: "queue", cloud: "aws" }] });
  expect(plugin?.configurations).toHaveLength(1);
});

test.each([
  ["nothing", "export const stacks = [];"],
  ["an empty one", "export default {};"],
  ["no list", "export default { stacks: 1 };"],
  ["a stack without a name", `export default { stacks: [{ cloud: "aws", ${functions} }] };`],
  ["a stack without functions", 'export default { stacks: [{ service: "a", cloud: "b" }] };'],
  ["a folder that is not there", 'export default { configurations: ["/nowhere/at/all"] };'],
  ["a relative folder", 'export default { configurations: ["infra"] };'],
  ["an error", 'throw new Error("broken");'],
  ["rubbish", "this is no module"],
])("M074 the agent does not start with a module that exports %s, and the error names the module", async (_what, text) => {
  const path = write(text);
  await expect(loadPlugins([path])).rejects.toMatchObject({
    code: "platform.bad_configuration",
    message: expect.stringContaining(path) as string,
  });
});

test("M074 the agent does not start if a plug-in is missing", async () => {
  await expect(loadPlugins(["/nowhere/plug-in.ts"])).rejects.toMatchObject({ code: "platform.bad_configuration" });
});
