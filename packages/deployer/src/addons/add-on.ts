import type { KubeAccess, KubeClient, KubeObject, KubeRef } from "@cloudwright/kube";
import type { ClusterAddress } from "../cloud.ts";
import type { DeployedAccount, DeployerTask, JsonObject } from "../task.ts";

/** The cluster that add-ons are installed in. */
export interface Site {
  readonly client: KubeClient;
  readonly access: KubeAccess;
  readonly address: ClusterAddress;
  readonly account: DeployedAccount;
  readonly task: DeployerTask;
  /** Number of nodes that accept pods. Without nodes no workload becomes ready. */
  readonly readyNodes: number;
}

/** A Helm chart in exactly one version. */
export interface Chart {
  readonly name: string;
  /** `https://...` or `oci://...`. A chart without one must be in the agent's folder of charts. */
  readonly repository?: string;
  /** SHA-256 of the packed chart, in hexadecimal digits. */
  readonly digest?: string;
  readonly release: string;
  readonly namespace: string;
}

/** How an add-on is installed in a cluster. */
export type Installation =
  | {
      readonly by: "manifests";
      render(site: Site, version: string, values: JsonObject): Promise<readonly KubeObject[]> | readonly KubeObject[];
      /** Returns what the cluster lacks for it, which may come later. */
      findMissing?(site: Site): Promise<string | undefined>;
      /** Runs before the objects are applied. */
      prepare?(site: Site): Promise<void>;
    }
  | {
      readonly by: "chart";
      readonly chart: Chart;
      /** Returns values for the chart. The user's values take precedence. */
      values(site: Site): JsonObject;
      /** Returns what the cluster lacks for it. */
      findMissing?(site: Site): string | undefined;
    }
  | {
      /** The cloud installs it with the cluster. This package only checks it. */
      readonly by: "cloud";
      /** Its name in the cloud. */
      readonly managed: string;
      readonly workload: KubeRef;
    };

/** An entry of the catalogue. */
export interface AddOn {
  readonly name: string;
  /** Add-ons with a lower order are installed first. */
  readonly order: number;
  /** The version for clusters that name none. */
  readonly version: string;
  /** Whether no other version can be chosen. */
  readonly isFixed?: boolean;
  /** Clouds that it is for. Default: all. */
  readonly clouds?: readonly string[];
  /** `always`, `asked` if the cluster names it in `spec.addOns`, or if the field of its spec at the path `when` is true. */
  readonly wanted: "always" | "asked" | { readonly when: string };
  readonly install: Installation;
}

/** The state of an add-on in the cluster's status. */
export interface AddOnStatus {
  readonly name: string;
  readonly version: string;
  readonly phase: "READY" | "INSTALLING" | "FAILED" | "WAITING";
  readonly message: string;
}
