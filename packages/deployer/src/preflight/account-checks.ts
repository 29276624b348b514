import { listActions, type AwsFeature } from "@cloudwright/clouds";
import type { Check } from "./question.ts";

const most = 10;

/** The credentials are good, and may do what the configurations need. */
export function createPermissionCheck(feature: AwsFeature): Check {
  return async ({ view }) => {
    const denied = await view.listDenied(listActions(feature));
    if (denied === undefined || denied.length === 0) return [];
    const named = denied.slice(0, most).join(", ") + (denied.length > most ? ` and ${denied.length - most} more` : "");
    const help = `\`cloud account iam-policy --feature ${feature}\` shows what is needed.`;
    return [{ field: "account", message: `its credentials may not do ${named}`, help }];
  };
}

/** There is such a region, and the account may use it. */
export const regionIsOpen: Check = async ({ view, region }) => {
  if ((await view.listZones()).length > 0) return [];
  const help = "Choose a region that there is, or open it for the account.";
  return [{ field: "spec.region", message: `the account has no zones in ${region}`, help }];
};
