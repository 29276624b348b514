import { Fault } from "@cloudwright/platform";
import { cloudsFaults } from "../../faults.ts";
import type { AzureApi } from "../api.ts";
import type { Permission } from "../models.ts";
import { operations } from "../operations.ts";

/** Actions that the credentials must allow. */
export interface NeededActions {
  readonly actions: readonly string[];
  readonly dataActions: readonly string[];
}

/**
 * Lists the actions that the credentials do not allow in the subscription, or in a resource group if one is given. Returns undefined if the
 * credentials do not allow reading their own permissions.
 */
export async function listDeniedActions(
  api: AzureApi,
  group: string | undefined,
  { actions, dataActions }: NeededActions,
): Promise<string[] | undefined> {
  const permissions = await readPermissions(api, group);
  if (permissions === undefined) return undefined;
  const isAllowed = (action: string): boolean =>
    permissions.some((each) => matches(each.actions, action) && !matches(each.notActions, action));
  const isDataAllowed = (action: string): boolean =>
    permissions.some((each) => matches(each.dataActions, action) && !matches(each.notDataActions, action));
  return [...actions.filter((action) => !isAllowed(action)), ...dataActions.filter((action) => !isDataAllowed(action))];
}

async function readPermissions(api: AzureApi, group: string | undefined): Promise<readonly Permission[] | undefined> {
  try {
    return group === undefined
      ? await api.list<Permission>("read the permissions", operations.listPermissions)
      : await api.list<Permission>("read the permissions", operations.listGroupPermissions, {
          path: { resourceGroupName: group },
        });
  } catch (error) {
    if (error instanceof Fault && error.code === cloudsFaults.not_allowed.code) return undefined;
    throw error;
  }
}

/** Returns whether one of the patterns matches an action. Azure ignores case, and `*` stands for any characters. */
function matches(patterns: readonly string[] | undefined, action: string): boolean {
  return (patterns ?? []).some((pattern) => matchesWildcards(pattern.toLowerCase(), action.toLowerCase()));
}

// A regular expression would need exponential time for a role with an action such as `**********x`.
function matchesWildcards(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
