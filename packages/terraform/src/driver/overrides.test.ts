import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkOverrides } from "../overrides/check-overrides.ts";
import { renderIgnoreRules } from "../overrides/ignore-rules.ts";
import { findTestEngines, openTestTerraform } from "../testing/test-terraform.ts";
import { getValue } from "./command-report.ts";

const main = `
  variable "size" { type = number }
  locals { suffix = "own" }
  resource "terraform_data" "a" {
    input            = { name = "a-\${local.suffix}", size = var.size, tags = { x = var.size, y = var.size } }
    triggers_replace = var.size
    lifecycle { ignore_changes = [triggers_replace] }
  }
  resource "terraform_data" "b" { input = var.size }`;

describe.each(findTestEngines())("with $name", ({ binary, skip }) => {
  describe.skipIf(skip)("on this machine", () => {
    test("M076 overrides change arguments and locals in order, and their files are private", async () => {
      const overrides = [
        { locals: { suffix: '${join("-", ["over", "ridden"])}' }, resource: { terraform_data: { b: { input: "first" } } } },
        { resource: { terraform_data: { b: { input: "$${second}" } } } },
      ];
      for (const each of overrides) expect(checkOverrides(each, { providers: ["terraform"] })).toEqual([]);
      const terraform = openTestTerraform(binary, main, { variables: { size: 1 }, overrides });
      getValue(await terraform.init());
      getValue(await terraform.apply(getValue(await terraform.plan()).id));
      const { resources } = getValue(await terraform.showState());
      expect(resources.map(({ values }) => values)).toMatchObject([{ input: { name: "a-over-ridden" } }, { input: "${second}" }]);
      const names = () => readdirSync(terraform.directory).filter((name) => name.includes("_override"));
      expect(names()).toEqual(["cloudwright_00_override.tf.json", "cloudwright_01_override.tf.json"]);
      for (const name of names()) expect(statSync(join(terraform.directory, name)).mode & 0o777).toBe(0o600);

      const without = openTestTerraform(binary, main, { directory: terraform.directory, variables: { size: 1 } });
      expect(names()).toEqual([]);
      expect(getValue(await without.plan())).toMatchObject({ hasChanges: true });
    });

    test("X033 changes to ignored attributes are not reported, and attributes that the configuration ignores stay ignored", async () => {
      const first = openTestTerraform(binary, main, { variables: { size: 1 } });
      getValue(await first.init());
      getValue(await first.apply(getValue(await first.plan()).id));
      const rules = [
        { address: "terraform_data.a", path: "input.size" },
        { address: "terraform_data.a", path: "input.tags.x" },
      ];
      const render = (count: number) => renderIgnoreRules(rules.slice(0, count), [{ type: "terraform_data", name: "a" }]);
      const plan = async (overrides: ReturnType<typeof render>[], ignore: typeof rules = []) => {
        const { directory } = first;
        const terraform = openTestTerraform(binary, main, { directory, variables: { size: 2 }, overrides, ignore });
        const { changes } = getValue(await terraform.showPlan(getValue(await terraform.plan()).id));
        const change = changes.find(({ address }) => address === "terraform_data.a");
        return [
          change?.action,
          ...(change?.changedPaths ?? []).map(({ path }) => path.join(".")).filter((path) => path !== "output"),
        ];
      };
      expect(await plan([])).toEqual(["update", "input.size", "input.tags.x", "input.tags.y"]);
      expect(await plan([render(1)])).toEqual(["update", "input.tags.x", "input.tags.y"]);
      expect(await plan([render(2)])).toEqual(["update", "input.tags.y"]);
      const users = { resource: { terraform_data: { a: { lifecycle: { ignore_changes: ["input.tags.y"] } } } } };
      expect(await plan([], rules)).toEqual(["update", "input.tags.y"]);
      expect(await plan([users], rules)).toEqual(["none"]);
      expect(await plan([users, render(2)])).toEqual(["none"]);
      const last = readFileSync(join(first.directory, "cloudwright_02_override.tf.json"), "utf8");
      expect(JSON.parse(last)).toEqual({
        resource: {
          terraform_data: {
            a: { lifecycle: { ignore_changes: ["triggers_replace", "input.tags.y", "input.size", "input.tags.x"] } },
          },
        },
      });
    });

    test("M076 overriding something that the configuration does not contain causes a fault that names the override file", async () => {
      const overrides = [{ resource: { terraform_data: { none: { input: 1 } } } }];
      const outcome = await openTestTerraform(binary, main, { variables: { size: 1 }, overrides }).init();
      expect(outcome).toMatchObject({
        outcome: "failed",
        fault: { code: "terraform.bad_configuration", extra: { file: "cloudwright_00_override.tf.json" } },
      });
    });
  });
});
