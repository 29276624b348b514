import { cloudNames, isCloudName, type CloudName } from "@cloudwright/contract/clouds";
import { isTree, type Tree } from "../data/spec-paths.ts";
import type { SettingGroup } from "../settings/setting.ts";
import { awsView } from "./aws/view.tsx";
import { azureView } from "./azure/view.tsx";
import type { CloudSettings, CloudView } from "./cloud-view.ts";
import { listSecretFields } from "./credentials.ts";
import { gcpView } from "./gcp/view.tsx";
import { localView } from "./local/view.tsx";

const views: Readonly<Partial<Record<CloudName, CloudView>>> = { aws: awsView, gcp: gcpView, azure: azureView, local: localView };

/** The text displayed instead of a secret. */
const placeholder = "<secret>";

/** The clouds that the console has forms for. */
export const cloudViews: readonly CloudView[] = cloudNames.flatMap((name) => views[name] ?? []);

/** Returns the view of a cloud, or undefined if the console has no forms for it yet. */
export function findCloudView(cloud: string): CloudView | undefined {
  return isCloudName(cloud) ? views[cloud] : undefined;
}

/** Returns the view of a cloud. Falls back to the AWS view if the cloud has none. */
export function getCloudView(cloud: CloudName): CloudView {
  return views[cloud] ?? awsView;
}

/** Removes the sections of all clouds except the given one from a spec. */
export function withoutOtherClouds(spec: Tree, cloud: CloudName): Tree {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => name === cloud || !isCloudName(name)));
}

/** Returns the settings of the given forms for all clouds. */
export function listCloudSettings(...forms: readonly (keyof CloudSettings)[]): SettingGroup[] {
  return cloudViews.flatMap(({ settings }) => forms.flatMap((form) => settings[form]));
}

/** Replaces the secrets in a spec with placeholders, so that the spec can be displayed. */
export function concealSecrets<Spec extends object>(spec: Spec): Spec {
  const parts = Object.entries(spec).map(([name, part]): [string, unknown] => [name, concealPart(name, part)]);
  return Object.fromEntries(parts) as Spec;
}

/** Replaces the secret placeholders in a spec with the corresponding secrets from another spec. */
export function restoreSecrets(spec: Tree, secretive: Tree): Tree {
  const parts = Object.entries(spec).map(([name, part]): [string, unknown] => {
    const from = secretive[name];
    if (!isTree(part) || !isTree(from) || !isCloudName(name)) return [name, part];
    const fields = Object.entries(part).map(([field, value]) => [field, value === placeholder ? (from[field] ?? "") : value]);
    return [name, Object.fromEntries(fields)];
  });
  return Object.fromEntries(parts);
}

function concealPart(cloud: string, part: unknown): unknown {
  const view = findCloudView(cloud);
  const secrets = view === undefined ? [] : listSecretFields(view);
  if (typeof part !== "object" || part === null || !secrets.some((name) => name in part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, secrets.includes(name) ? placeholder : value]));
}
