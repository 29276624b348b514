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

async function faultsOf(run: (...args: string[]) => Promise<{ code: number; out: string }>, path: string[], command: Command) {
  const { code, out } = await run(...path, "--help");
  const wanted = {
    "exit code 0": code === 0,
    usage: out.includes("Usage: cloud"),
    "--help": out.includes("--help"),
    "a sentence": /^[A-Z].*\.$/.test(command.description()),
    examples: out.includes("Examples:") || command.commands.length > 0,
  };
  return Object.entries(wanted).flatMap(([what, is]) => (is ? [] : [`cloud ${path.join(" ")} lacks ${what}`]));
}

test("M003 the help of every command has usage, a sentence, flags, and examples if it performs an action", async () => {
  const { world, run } = createFakeWorld();
  const all = (await listLeaves(createProgram(world))).filter(({ path }) => path[0] !== "__complete");
  expect(all.length).toBeGreaterThan(150);
  const faults: string[] = [];
  for (const { path, command } of all) faults.push(...(await faultsOf(run, path, command)));
  expect(faults).toEqual([]);
}, 60_000);

test("M003 `cloud help` prints the same as --help", async () => {
  const { run } = createFakeWorld();
  expect((await run("help", "k8s", "create")).out).toBe((await run("k8s", "create", "--help")).out);
});

test.each(["kinds", "output", "environment"])("M003 there is a help topic %s", async (topic) => {
  expect(await createFakeWorld().run("help", topic)).toMatchObject({ code: 0, err: "" });
});
