import { expect, test } from "vitest";
import { runTool } from "./run-tool.ts";

test("a tool gets its input and returns its output", async () => {
  expect(await runTool("cat", [], { input: "hello" })).toEqual({ code: 0, stdout: "hello", stderr: "" });
});

test("a failed tool is reported with its exit code and its error output", async () => {
  await expect(runTool("ls", ["/does-not-exist"])).rejects.toMatchObject({
    code: "hosts.tool_failed",
    message: expect.stringContaining("/does-not-exist") as string,
  });
  expect((await runTool("false", [], { accept: [1] })).code).toBe(1);
});

test("a missing tool is reported with the package that contains it", async () => {
  await expect(runTool("no-such-tool", [])).rejects.toMatchObject({ code: "hosts.missing_tool" });
});

test("a tool that takes too long is killed with its children", async () => {
  await expect(runTool("sh", ["-c", "sleep 60 & wait"], { timeoutMs: 50 })).rejects.toMatchObject({ code: "hosts.tool_timeout" });
});

test("an aborted signal stops the tool", async () => {
  const abort = new AbortController();
  const run = runTool("sleep", ["60"], { signal: abort.signal });
  abort.abort();
  await expect(run).rejects.toMatchObject({ code: "hosts.cancelled" });
  await expect(runTool("true", [], { signal: abort.signal })).rejects.toMatchObject({ code: "hosts.cancelled" });
});
