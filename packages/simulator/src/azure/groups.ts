import type { HookContext } from "../provider/definition.ts";
import { textOf } from "../values/read-value.ts";
import { isMap } from "../values/value.ts";
import type { Refusal } from "./refusal.ts";
import type { AzureResource } from "./resource.ts";

const group: AzureResource = {
  noun: "Resource Group",
  path: "/subscriptions/{subscription_id}/resourceGroups/{name}",
  takes: { create: 10, update: 2, delete: 15 },
  limits: [
    {
      quota: "resource-groups",
      within: "",
      refusal: (limit) => ({
        code: "ResourceGroupQuotaExceeded",
        message: `The number of resource groups in the subscription has reached the limit of ${limit}.`,
        status: 409,
      }),
    },
  ],
  check: ({ operation, id, planned }, context) =>
    operation === "delete" ? checkEmpty(id, context) : checkName(textOf(planned["name"])),
};

function checkName(name: string): readonly Refusal[] {
  if (/^[-\w._()]{0,89}[-\w_()]$/u.test(name)) return [];
  const message = `The provided resource group name '${name}' has these invalid characters or is longer than 90 characters. The name can only be a letter, digit, '-', '.', '(', ')' or '_', and cannot end with a period.`;
  return [{ code: "InvalidResourceGroupName", message, path: ["name"] }];
}

async function checkEmpty(id: string, context: HookContext): Promise<readonly Refusal[]> {
  const features = context.provider["features"];
  const isAllowed = JSON.stringify(isMap(features) ? [features] : (features ?? [])).includes(
    '"prevent_deletion_if_contains_resources":false',
  );
  const left = isAllowed ? [] : (await context.list()).filter((record) => record.id.startsWith(`${id}/`));
  if (left.length === 0) return [];
  const message = `the Resource Group still contains Resources: ${left.map((record) => record.id).join(", ")}`;
  return [{ code: "ResourceGroupNotEmpty", message, status: 409 }];
}

/** The resource group resource type. */
export const groups = { azurerm_resource_group: group } as const;
