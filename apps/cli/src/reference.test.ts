import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandTable } from "./command-table.ts";
import { exitCodes } from "./exit-codes.ts";
import { verbs } from "./kinds/verbs.ts";

const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "reference", "cli.md"), "utf8");

test("M003 the reference page lists every exit code with the CLI's own text", () => {
  const listed = exitCodes.filter(({ code, meaning }) => page.includes(`| ${code} | ${meaning} |`));
  expect(listed).toEqual(exitCodes);
});

test("M003 the reference page names every command and verb", () => {
  const kindFirst = new Set(commandTable.filter(({ group }) => group === "Kinds:").map(({ name }) => name));
  const names = [
    ...commandTable.filter(({ name }) => !kindFirst.has(name) && name !== "__complete").map(({ name }) => name),
    ...verbs.map(({ verb }) => verb),
  ];
  expect(
    names.filter(
      (name) =>
        !new RegExp(`cloud (account |apikey |k8s |operation |agent |backend |instance |volume |sshkey )?${name}\\b`).test(page),
    ),
  ).toEqual([]);
});

test("X085 the reference page lists every quota of simulated accounts", () => {
  for (const { title, quotas } of cloudNames.map((name) => getCloud(name))) {
    const row = page.split("\n").find((line) => line.startsWith(`| ${title} | \`${Object.keys(quotas)[0] ?? ""}\``)) ?? "";
    expect([title, Object.keys(quotas).filter((name) => !row.includes(`\`${name}\``))]).toEqual([title, []]);
  }
});
