import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { openFakeTerraform } from "../testing/fake-terraform.ts";
import { findTestEngines, openTestTerraform, testSpawn } from "../testing/test-terraform.ts";
import { getValue } from "./command-report.ts";
import { limitMemory } from "./limit-memory.ts";

const mebibyte = 1024 ** 2;

test("X063 a program and the programs that it starts get the memory limit, and their arguments are not interpreted", async () => {
  const run = async (memoryBytes: number | undefined, ...args: string[]): Promise<string> => {
    const child = await testSpawn(...limitMemory({ path: "/bin/sh" }, args, memoryBytes));
    return (await text(child.stdout)).trim();
  };
  expect(await run(300 * mebibyte, "-c", "sh -c 'ulimit -d'")).toBe(String(300 * 1024));
  expect(await run(300 * mebibyte, "-c", 'printf %s "$1"', "x", '$(echo "hi") *')).toBe('$(echo "hi") *');
  expect(limitMemory({ path: "/opt/terraform" }, ["plan"], undefined)).toEqual(["/opt/terraform", ["plan"]]);
});

test("X063 a run that reaches its memory limit has a fault of its own, however long the stack traces are, and is not retried", async () => {
  const limited = await openFakeTerraform("out-of-memory", { memoryBytes: 300 * mebibyte }).plan();
  expect(limited).toMatchObject({ outcome: "failed", fault: { code: "terraform.out_of_memory", retry: "never" } });
  const signed = await openFakeTerraform("ok", { memoryBytes: 300 * mebibyte }).plan();
  expect(signed).toMatchObject({ outcome: "done" });
});

describe.each(findTestEngines())("with $name", ({ binary, skip }) => {
  test.skipIf(skip)(
    "X063 an expression that needs more memory than a run may use ends the run, and others are not affected",
    async () => {
      const hostile = `
      locals {
        row   = [for i in range(1000) : "\${i}-\${i}-\${i}-\${i}"]
        table = [for i in range(1000) : local.row]
      }
      output "size" { value = length(join("", [for i in range(1000) : jsonencode(local.table)])) }
    `;
      const options = { memoryBytes: 300 * mebibyte, environment: { GOMEMLIMIT: "off" } };
      const terraform = openTestTerraform(binary, hostile, options);
      getValue(await terraform.init());
      expect(await terraform.plan()).toMatchObject({ outcome: "failed", fault: { code: "terraform.out_of_memory" } });
      const harmless = openTestTerraform(binary, 'output "size" { value = 1 }', options);
      getValue(await harmless.init());
      expect(await harmless.plan()).toMatchObject({ outcome: "done" });
    },
  );
});
