import { ifReadable, refuseRequest } from "../../library/errors.ts";
import type { MachineType } from "../models.ts";
import type { GcpContext } from "./context.ts";

/**
 * Throws `clouds.invalid` if Compute Engine does not offer a machine type in one of the zones. Passes if the credentials do not allow the
 * check, and for custom types, which Compute Engine does not list.
 */
export async function checkMachineType(
  { api, project }: GcpContext,
  { type, zones }: { readonly type: string | undefined; readonly zones: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<void> {
  if (type === undefined || /(^|-)custom-/.test(type)) return;
  for (const zone of zones) {
    const found = await ifReadable(
      api
        .find<MachineType>(`look up the machine type ${type} in ${zone}`, {
          service: "compute",
          action: "machineTypes.get",
          path: `projects/${project}/zones/${zone}/machineTypes/${encodeURIComponent(type)}`,
          signal,
        })
        .then((machine) => machine !== undefined),
    );
    if (found !== false) continue;
    const list = `gcloud compute machine-types list --zones ${zone} --project ${project}`;
    throw refuseRequest(
      "gcp",
      `the zone ${zone} does not offer the machine type ${type}; \`${list}\` lists the types that it offers`,
    );
  }
}
