import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFakeWorld } from "./testing/fake-world.ts";

const folder = join(import.meta.dirname, "..", "..", "..", "docs", "guides");

/** Returns the `cloud` commands in the shell blocks of a guide. */
function listCommands(page: string): string[] {
  const blocks = page.matchAll(/^```sh\n([^]*?)^```$/gm);
  return [...blocks].flatMap(([, block = ""]) => block.split("\n")).filter((line) => line.startsWith("cloud "));
}

/** Splits a line into words as a shell does. Supports only quotes, because the guides use no other shell syntax. */
function split(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? "");
}

const commands = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) => listCommands(readFileSync(join(folder, name), "utf8")).map((line) => [name, line] as const));

test("M003 the commands in guides exist", () => expect(commands.length).toBeGreaterThan(20));

test.each(commands)("M003 in %s `%s` is a valid command line", async (_name, line) => {
  // The server responds with 404, so each command ends early. The test checks only that the CLI accepts the command line.
  const { run, server } = createFakeWorld();
  server.answerOnce("GET", /./, () => new Response("{}", { status: 404 }));
  const { err } = await run(
    ...split(line.replace(/ > \S+$/, ""))
      .slice(1)
      .filter((word) => !["--wait", "--follow"].includes(word)),
  );
  expect(err).not.toMatch(/cli\.(usage|unknown_kind|unsupported_verb|ambiguous_uid)/);
});
