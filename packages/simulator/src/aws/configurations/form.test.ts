import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { infra, terraform } from "../../testing/open-configuration.ts";

const files = globSync("*/*/*/*.tf", { cwd: infra });
const blocksOf = (kind: string): (readonly [name: string, text: string])[] =>
  files.flatMap((file) => {
    const parts = readFileSync(join(infra, file), "utf8").split(new RegExp(`^${kind} "`, "m"));
    return parts.slice(1).map((text) => [`${file} ${text.slice(0, text.indexOf('"'))}`, text.split(/^\}/m)[0] ?? ""] as const);
  });

test.skipIf(!terraform.found)("every configuration is formatted", () => {
  const path = terraform.found ? terraform.path : "";
  const env = { PATH: processEnvironment["PATH"] ?? "" };
  expect(spawnSync(path, ["fmt", "-check", "-recursive", infra], { encoding: "utf8", env })).toMatchObject({
    status: 0,
    stdout: "",
  });
});

test("every variable has a type and a description, and every output a description", () => {
  const variables = blocksOf("variable");
  const outputs = blocksOf("output");
  expect(variables.length).toBeGreaterThan(20);
  expect(outputs.length).toBeGreaterThan(15);
  expect(
    variables.filter(([, text]) => !/^ {2}type +=/m.test(text) || !/^ {2}description +=/m.test(text)).map(([name]) => name),
  ).toEqual([]);
  expect(outputs.filter(([, text]) => !/^ {2}description +=/m.test(text)).map(([name]) => name)).toEqual([]);
});
