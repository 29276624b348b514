import type { Check } from "./question.ts";

const shown = 10;

/** Creates a check that the account has all permissions that a feature requires. */
export function createPermissionCheck(feature: string): Check {
  return async ({ view }) => {
    const denied = await view.listDenied(feature);
    if (denied === undefined || denied.length === 0) return [];
    const named = denied.slice(0, shown).join(", ") + (denied.length > shown ? ` and ${denied.length - shown} more` : "");
    const help = `\`cloud account policy --feature ${feature}\` prints the required permissions.`;
    return [{ field: "account", message: `the account's credentials do not allow ${named}`, help }];
  };
}

/**
 * Creates a check that every service required by a feature is enabled for the account. `renderCommand` returns the command that enables
 * services.
 */
export function createServiceCheck(
  feature: string,
  renderCommand: (services: readonly string[], accountId: string) => string,
): Check {
  return async ({ view }) => {
    const disabled = (await view.listDisabledServices?.(feature)) ?? [];
    if (disabled.length === 0) return [];
    const { accountId } = await view.getIdentity();
    const message = `${disabled.join(", ")} ${disabled.length === 1 ? "is" : "are"} not enabled in ${accountId}`;
    return [{ field: "account", message, help: `Run \`${renderCommand(disabled, accountId)}\`.` }];
  };
}

/** Checks that the region exists and is enabled for the account. */
export const regionIsOpen: Check = async ({ view, region }) => {
  if ((await view.listZones()).length > 0) return [];
  const help = "Choose another region, or enable this one for the account.";
  return [{ field: "spec.region", message: `the account has no zones in ${region}`, help }];
};
