import { Secret } from "@cloudwright/platform";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TerraformEvent } from "../events/event.ts";
import { findTestEngines, openTestTerraform } from "../testing/test-terraform.ts";
import { pickOutputs } from "../reading/outputs.ts";
import { getValue } from "./command-report.ts";

const main = `
  variable "size" { type = number }
  variable "password" {
    type      = string
    sensitive = true
  }
  resource "terraform_data" "a" {
    input            = { size = var.size, password = var.password }
    triggers_replace = var.size > 10 ? "big" : "small"
  }
  resource "terraform_data" "b" {
    count = 2
    input = terraform_data.a.id
  }
  output "size" { value = var.size }
  output "password" {
    value     = var.password
    sensitive = true
  }
`;
const secretVariables = { password: new Secret("correct horse battery") };

describe.each(findTestEngines())("with $name", ({ binary, skip }) => {
  describe.skipIf(skip)("on this machine", () => {
    test("M060 M071 a stack is planned, applied by plan ID, changed, read and destroyed", async () => {
      const events: TerraformEvent[] = [];
      const terraform = openTestTerraform(binary, main, {
        variables: { size: 1 },
        secretVariables,
        onEvent: (event) => void events.push(event),
      });
      expect(getValue(await terraform.init())).toMatchObject({ skipped: false });
      expect(getValue(await terraform.validate())).toEqual([]);

      const planned = getValue(await terraform.plan());
      expect(planned).toEqual({ id: expect.stringMatching(/^[0-9a-f]{64}$/), hasChanges: true });
      const shown = getValue(await terraform.showPlan(planned.id));
      expect(shown).toMatchObject({ isApplyable: true, isComplete: true, drift: [] });
      expect(shown.changes.map(({ address, action }) => `${action} ${address}`)).toEqual([
        "create terraform_data.a",
        "create terraform_data.b[0]",
        "create terraform_data.b[1]",
      ]);
      expect(shown.outputs["password"]).toEqual({ action: "create", isSensitive: true });
      expect(JSON.stringify(shown)).not.toContain("correct horse");

      events.length = 0;
      expect(getValue(await terraform.apply(planned.id)).summary).toMatchObject({ operation: "apply", add: 3 });
      const finished = events.filter((event) => event.type === "finished");
      expect(finished).toHaveLength(3);
      expect(finished[0]).toMatchObject({ address: "terraform_data.a", action: "create", id: expect.any(String), seconds: 0 });
      expect(events.filter((event) => event.type === "started")).toHaveLength(3);

      const outputs = getValue(await terraform.output());
      expect(outputs["size"]?.value.reveal()).toBe(1);
      expect(outputs["password"]).toMatchObject({ isSensitive: true });
      expect(outputs["password"]?.value.reveal()).toBe("correct horse battery");
      expect(JSON.stringify(outputs)).not.toContain("correct horse");

      expect(getValue(await terraform.listState())).toEqual(["terraform_data.a", "terraform_data.b[0]", "terraform_data.b[1]"]);
      const { state } = getValue(await terraform.pullState());
      expect(state).toMatchObject({ serial: expect.any(Number), lineage: expect.any(String) });
      expect(state?.resources.map(({ address }) => address)).toEqual([
        "terraform_data.a",
        "terraform_data.b[0]",
        "terraform_data.b[1]",
      ]);
      expect(state?.resources[0]?.id).toBe(finished[0]?.id);
      expect(getValue(await terraform.showState()).resources[0]?.values).toMatchObject({
        input: { size: 1, password: "[secret]" },
      });

      expect(getValue(await terraform.plan())).toMatchObject({ hasChanges: false });
      const destroy = getValue(await terraform.plan({ mode: "destroy" }));
      expect(getValue(await terraform.showPlan(destroy.id)).changes.map(({ action }) => action)).toEqual([
        "delete",
        "delete",
        "delete",
      ]);
      expect(getValue(await terraform.apply(destroy.id)).summary).toMatchObject({ remove: 3 });
      expect(getValue(await terraform.listState())).toEqual([]);
      expect(await terraform.close()).toBeUndefined();
      expect(existsSync(terraform.directory)).toBe(false);
    });

    test("M060 a replacement reports its reason and paths, and an update reports its changed attributes", async () => {
      const terraform = openTestTerraform(binary, main, { variables: { size: 1 }, secretVariables });
      getValue(await terraform.init());
      getValue(await terraform.apply(getValue(await terraform.plan()).id));
      const other = (size: number) =>
        openTestTerraform(binary, main, { directory: terraform.directory, variables: { size }, secretVariables });

      const updated = other(2);
      const update = getValue(await updated.showPlan(getValue(await updated.plan()).id)).changes[0];
      expect(update).toMatchObject({ action: "update", replacePaths: [] });
      expect(update?.changedPaths).toContainEqual({
        path: ["input", "size"],
        before: 1,
        after: 2,
        isSensitive: false,
        isUnknown: false,
      });
      expect(update?.changedPaths.map(({ path }) => path.join("."))).not.toContain("input.password");

      const replaced = other(20);
      const replace = getValue(await replaced.showPlan(getValue(await replaced.plan()).id)).changes[0];
      expect(replace).toMatchObject({
        action: "replace",
        reason: "replace_because_cannot_update",
        replacePaths: [["triggers_replace"]],
      });

      const asked = getValue(await updated.plan({ replace: ["terraform_data.b[1]"] }));
      const change = getValue(await updated.showPlan(asked.id)).changes.find(({ address }) => address === "terraform_data.b[1]");
      expect(change).toMatchObject({ action: "replace", reason: "replace_by_request" });
    });

    test("M071 X032 a plan is stale after its state has changed, and deleted after it has been applied", async () => {
      const terraform = openTestTerraform(binary, main, { variables: { size: 1 }, secretVariables });
      getValue(await terraform.init());
      const first = getValue(await terraform.plan());
      // Identical plans created within the same second are byte-identical, so this plan uses a different target.
      const second = getValue(await terraform.plan({ target: ["terraform_data.b[0]"] }));
      getValue(await terraform.apply(first.id));
      const stale = await terraform.apply(second.id);
      expect(stale).toMatchObject({ outcome: "failed", fault: { code: "terraform.plan_stale" } });
      await expect(terraform.apply(first.id)).rejects.toMatchObject({ code: "terraform.plan_unknown" });
    });

    test("M071 a plan that is stored and put back is unchanged", async () => {
      const terraform = openTestTerraform(binary, main, { variables: { size: 1 }, secretVariables });
      getValue(await terraform.init());
      const { id } = getValue(await terraform.plan());
      const bytes = readFileSync(await terraform.getPlanFile(id));
      const again = openTestTerraform(binary, main, { secretVariables });
      getValue(await again.init());
      await expect(again.putPlan(id, Buffer.concat([bytes, Buffer.from("x")]))).rejects.toMatchObject({
        code: "terraform.plan_changed",
      });
      await again.putPlan(id, bytes);
      expect(getValue(await again.apply(id)).summary).toMatchObject({ add: 3 });
    });

    test("M060 M072 resources are imported and removed from the state, states are pushed, and an older state is rejected", async () => {
      const terraform = openTestTerraform(binary, `resource "terraform_data" "a" {}\nresource "terraform_data" "b" {}`);
      getValue(await terraform.init());
      expect(getValue(await terraform.pullState()).state).toBeUndefined();
      expect(getValue(await terraform.listState())).toEqual([]);
      expect(getValue(await terraform.output())).toEqual({});
      expect(getValue(await terraform.showState()).resources).toEqual([]);
      getValue(await terraform.import("terraform_data.a", "one"));
      const first = getValue(await terraform.pullState());
      expect(first.state?.resources).toMatchObject([{ address: "terraform_data.a", id: "one" }]);
      getValue(await terraform.import("terraform_data.b", "two"));
      getValue(await terraform.removeFromState(["terraform_data.a"]));
      expect(getValue(await terraform.listState())).toEqual(["terraform_data.b"]);
      expect(await terraform.pushState(first.bytes)).toMatchObject({ outcome: "failed" });
      getValue(await terraform.pushState(first.bytes, { force: true }));
      expect(getValue(await terraform.listState())).toEqual(["terraform_data.a"]);
      expect(await terraform.import("terraform_data.a", "two")).toMatchObject({ outcome: "failed" });
    });

    test("M070 M053 outputs that are missing or have the wrong type are named one by one", async () => {
      const terraform = openTestTerraform(
        binary,
        `output "name" { value = 5 }
         output "size" { value = "large" }
         output "zones" { value = ["a", 1] }
         output "ids" { value = ["a", "b"] }
         output "on" { value = true }
         output "nothing" { value = null }`,
      );
      getValue(await terraform.init());
      getValue(await terraform.apply(getValue(await terraform.plan()).id));
      const wanted = {
        name: "text",
        size: "number",
        zones: "texts",
        ids: "texts",
        on: "truth",
        nothing: "text",
        more: "object",
      } as const;
      const { values, problems } = pickOutputs(getValue(await terraform.output()), wanted);
      expect(values).toEqual({ ids: ["a", "b"], on: true });
      expect(problems.map(({ field }) => field)).toEqual(["name", "size", "zones", "nothing", "more"]);
    });

    test("M061 init is skipped if nothing has changed, and runs if something has", async () => {
      const terraform = openTestTerraform(binary, main, { secretVariables, variables: { size: 1 } });
      expect(getValue(await terraform.init())).toMatchObject({ skipped: false });
      expect(getValue(await terraform.init())).toMatchObject({ skipped: true });
      expect(getValue(await terraform.init({ always: true }))).toMatchObject({ skipped: false });
      const changed = openTestTerraform(binary, `${main}\noutput "more" { value = 1 }`, { directory: terraform.directory });
      expect(getValue(await changed.init())).toMatchObject({ skipped: false });
    });

    test("M064 M084 the working directory is private to its owner, and variables of every type arrive", async () => {
      const values = {
        text: 'quote " ${x} %{y} \\ \b\f\n',
        list: ["a", "${b}"],
        flag: true,
        nothing: null,
        big: "x".repeat(200_000),
      };
      const terraform = openTestTerraform(
        binary,
        `variable "deep" {
         type      = object({ text = string, list = list(string), flag = bool, nothing = any })
         sensitive = true
       }
       variable "big" { type = string }
       variable "plain" { type = list(number) }
       output "deep" {
         value     = var.deep
         sensitive = true
       }
       output "big" { value = length(var.big) }
       output "plain" { value = var.plain }`,
        { variables: { plain: [1, 2.5] }, secretVariables: { deep: new Secret(values), big: new Secret(values.big) } },
      );
      getValue(await terraform.init());
      getValue(await terraform.apply(getValue(await terraform.plan()).id));
      const outputs = getValue(await terraform.output());
      const { big, ...deep } = values;
      expect(outputs["deep"]?.value.reveal()).toEqual(deep);
      expect(outputs["big"]?.value.reveal()).toBe(big.length);
      expect(outputs["plain"]?.value.reveal()).toEqual([1, 2.5]);
      expect(statSync(terraform.directory).mode & 0o777).toBe(0o700);
      for (const name of ["main.tf", "terraform.tfvars.json", "cloudwright-secrets.auto.tfvars.json"]) {
        expect(statSync(join(terraform.directory, name)).mode & 0o777).toBe(0o600);
      }
    });
  });
});
