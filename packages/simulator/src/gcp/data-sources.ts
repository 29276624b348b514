import { createUid } from "@cloudwright/platform";
import { findRegion } from "../cloud/regions.ts";
import { renderPath } from "../cloud/render-path.ts";
import type { DataSourceHooks, HookContext, Problem } from "../provider/definition.ts";
import { textOf } from "../values/read-value.ts";
import type { ValueMap } from "../values/value.ts";
import { checkRegion, known, placeOf, projectNumber } from "./place.ts";
import { channelVersions, offeredVersions } from "./gke/versions.ts";

/** The data sources that the GCP simulator supports, keyed by type name. */
export const dataSources: Readonly<Record<string, DataSourceHooks>> = {
  google_client_config: {
    read: (_config, context) => ({ ...placeOf(context), id: "simulated", access_token: "simulated", default_labels: {} }),
  },
  google_compute_zones: {
    read: (config, context) => {
      const place = { ...placeOf(context), ...known(config) };
      const zones = findRegion("gcp", textOf(place["region"]))?.zones;
      if (zones === undefined) return checkRegion(textOf(place["region"]));
      return { id: `projects/${textOf(place["project"])}/regions/${textOf(place["region"])}`, names: zones };
    },
  },
  google_compute_network: {
    read: (config, context) => findByName("google_compute_network", "projects/{project}/global/networks/{name}", config, context),
  },
  google_compute_subnetwork: {
    read: (config, context) =>
      findByName("google_compute_subnetwork", "projects/{project}/regions/{region}/subnetworks/{name}", config, context),
  },
  google_container_engine_versions: {
    read: (config, context) => {
      const prefix = typeof config["version_prefix"] === "string" ? config["version_prefix"] : "";
      const versions = offeredVersions.filter((version) => version.startsWith(prefix));
      const newest = versions[0] ?? "";
      const { UNSPECIFIED: usual = "", ...channels } = channelVersions;
      return {
        id: createUid(context.nowMs),
        default_cluster_version: usual,
        latest_master_version: newest,
        latest_node_version: newest,
        valid_master_versions: versions,
        valid_node_versions: versions,
        release_channel_default_version: channels,
        release_channel_latest_version: channels,
        release_channel_upgrade_target_version: channels,
      };
    },
  },
  google_storage_project_service_account: {
    read: (config, context) => {
      const project = textOf(config["project"]) || textOf(placeOf(context)["project"]);
      const email = `service-${projectNumber(project)}@gs-project-accounts.iam.gserviceaccount.com`;
      return { id: email, email_address: email, member: `serviceAccount:${email}`, project };
    },
  },
  google_project: {
    read: (config, context) => {
      const project = textOf(config["project_id"]) || textOf(placeOf(context)["project"]);
      return {
        id: `projects/${project}`,
        project_id: project,
        name: project,
        number: projectNumber(project),
        labels: {},
        tags: {},
      };
    },
  },
};

/** Finds a resource by its self link or by the names in its path. Project and region default to the provider's. */
async function findByName(
  type: string,
  path: string,
  config: ValueMap,
  context: HookContext,
): Promise<ValueMap | readonly Problem[]> {
  const link = textOf(config["self_link"]);
  const id = link === "" ? renderPath(path, { ...placeOf(context), ...known(config) }) : link.replace(/^.*?(?=projects\/)/, "");
  const found = await context.find({ type, id });
  if (found !== undefined) return { ...found.attributes, id };
  const message = `Error when reading or editing ${type.replace("google_compute_", "")}: googleapi: Error 404: The resource '${id}' was not found, notFound`;
  return [{ summary: message }];
}
