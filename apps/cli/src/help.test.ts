import type { Command } from "commander";
import { expect, test } from "vitest";
import { loadCommand } from "./lazy-commands.ts";
import { createProgram } from "./program.ts";
import { createFakeWorld } from "./testing/fake-world.ts";

async function listLeaves(command: Command, path: string[] = []): Promise<{ path: string[]; command: Command }[]> {
  await loadCommand(command);
  const below: { path: string[]; command: Command }[] = [];
  for (const sub of command.commands) below.push(...(await listLeaves(sub, [...path, sub.name()])));
  return [...(path.length > 0 ? [{ path, command }] : []), ...below];
}

test("M003 every command explains itself: usage, a sentence, flags, and examples where it does something", async () => {
  const { world, run } = createFakeWorld();
  const all = await listLeaves(createProgram(world));
  expect(all.length).toBeGreaterThan(150);
  for (const { path, command } of all) {
    if (path[0] === "__complete") continue;
    const { code, out } = await run(...path, "--help");
    expect(code, path.join(" ")).toBe(0);
    expect(out, path.join(" ")).toContain("Usage: cloud");
    expect(out, path.join(" ")).toContain("--help");
    expect(command.description(), path.join(" ")).toMatch(/^[A-Z].*\.$/);
    if (command.commands.length === 0) expect(out, path.join(" ")).toContain("Examples:");
  }
}, 60_000);

test("M003 `cloud help` explains a command as --help does", async () => {
  const { run } = createFakeWorld();
  expect((await run("help", "k8s", "create")).out).toBe((await run("k8s", "create", "--help")).out);
});

test.each(["kinds", "output", "environment"])("M003 there is a help topic %s", async (topic) => {
  expect(await createFakeWorld().run("help", topic)).toMatchObject({ code: 0, err: "" });
});
