import { Fault } from "@cloudwright/platform";
import { cloudsFaults } from "../../faults.ts";
import type { AzureApi } from "../api.ts";
import type { Provider } from "../models.ts";
import { operations } from "../operations.ts";

/**
 * Lists the resource providers that are not registered in the subscription. Returns undefined if the credentials do not allow reading the
 * registrations.
 */
export async function listUnregistered(api: AzureApi, namespaces: readonly string[]): Promise<readonly string[] | undefined> {
  try {
    const all = await api.list<Provider>("list the resource providers", operations.listProviders);
    const ready = all.flatMap(({ namespace = "", registrationState = "" }) =>
      /^(Registered|Registering)$/i.test(registrationState) ? [namespace.toLowerCase()] : [],
    );
    return namespaces.filter((name) => !ready.includes(name.toLowerCase()));
  } catch (error) {
    if (error instanceof Fault && error.code === cloudsFaults.not_allowed.code) return undefined;
    throw error;
  }
}
