import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedAccount, DeployedEntity, Json, JsonObject } from "../../task.ts";
import { renderTags } from "../../render-tags.ts";
import { findExisting } from "./find-existing.ts";
import { findProject } from "./find-project.ts";
import { gcpOf } from "./gcp-of.ts";
import { renderLater } from "./later-variables.ts";
import { planRanges } from "./ranges.ts";
import { getRegion, listZones } from "./zones.ts";

type Network = DeployedEntity<"Network">;

/** Renders the Terraform variables for network/gcp. `outputs` comes from the last apply. */
export function renderVariables(
  entity: Network,
  account: DeployedAccount,
  version: string,
  outputs: JsonObject,
): Readonly<Record<string, Json>> {
  const { name, project, uid, spec } = entity;
  const region = getRegion(entity);
  const gcp = gcpOf(spec);
  const home = findProject(account);
  const existing = findExisting(entity, region, home ?? "");
  return {
    name,
    project: home ?? null,
    region,
    zones: [...listZones(entity, region)],
    pod_range_name: gcp.podRangeName || "pods",
    service_range_name: gcp.serviceRangeName || "services",
    ...(existing === undefined ? renderNew(entity, version, outputs) : { ...existing }),
    owner: { project, entity: uid },
    labels: renderTags("gcp", entity),
  };
}

function renderNew(entity: Network, version: string, outputs: JsonObject): JsonObject {
  const gcp = gcpOf(entity.spec);
  const { cidr, machines, pods, services } = planRanges(entity, gcp);
  // Cloud NAT is regional, so there is no difference between one gateway and one per zone.
  const nat = ["", "none"].includes(entity.spec.nat) ? "none" : "regional";
  if (nat === "none" && gcp.natIps > 0) {
    const message = `spec.gcp.natIps of ${entity.name} is ${gcp.natIps}, but the network has no NAT; set spec.nat to single`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return {
    cidr_range: cidr,
    subnet_cidr: machines,
    pod_cidr: pods,
    service_cidr: services,
    routing_mode: gcp.routing || "regional",
    ...(gcp.mtu === 0 ? {} : { mtu: gcp.mtu }),
    private_google_access: !gcp.withoutPrivateGoogleAccess,
    nat,
    nat_ips: gcp.natIps,
    load_balancer_ips: gcp.loadBalancerIps,
    flow_logs: gcp.flowLogs ? renderSampling(gcp.flowLogSamplingPercent) : null,
    ...renderLater(entity, version, outputs),
  };
}

function renderSampling(percent: number): JsonObject {
  return percent === 0 ? {} : { sampling_percent: percent };
}
