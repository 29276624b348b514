import { Fault } from "@cloudwright/platform";
import { cloudsFaults } from "../../faults.ts";
import type { GcpApi } from "../api.ts";
import { lastPart } from "../resource-names.ts";
import { listServices, type GcpFeature } from "./features.ts";

interface Service {
  readonly name?: string;
  readonly state?: string;
}

/**
 * Lists the services that a feature needs but that are not enabled in the project. Returns undefined if the credentials do not allow
 * reading the enabled services.
 */
export async function listDisabledServices(api: GcpApi, feature: GcpFeature): Promise<readonly string[] | undefined> {
  const project = await api.getProject();
  const needed = listServices(feature);
  try {
    const { services = [] } = await api.call<{ readonly services?: readonly Service[] }>("list the enabled services", {
      service: "service_usage",
      path: `projects/${project}/services:batchGet`,
      query: { names: needed.map((name) => `projects/${project}/services/${name}`) },
    });
    const enabled = services.flatMap(({ name, state }) => (state === "ENABLED" ? [lastPart(name)] : []));
    return needed.filter((name) => !enabled.includes(name));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.code === cloudsFaults.service_disabled.code) return ["serviceusage.googleapis.com"];
    if (error.code === cloudsFaults.not_allowed.code) return undefined;
    throw error;
  }
}
