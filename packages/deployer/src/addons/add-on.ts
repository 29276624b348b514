import type { KubeAccess, KubeClient, KubeObject, KubeRef } from "@cloudwright/kube";
import type { ClusterAddress } from "../cloud.ts";
import type { DeployedAccount, DeployerTask, JsonObject } from "../task.ts";

export interface Site {
  readonly client: KubeClient;
  readonly access: KubeAccess;
  readonly address: ClusterAddress;
  readonly account: DeployedAccount;
  readonly task: DeployerTask;
  /** Number of nodes that accept pods. Workloads cannot become ready while it is 0. */
  readonly readyNodes: number;
}

/** A Helm chart to install as one release. */
export interface Chart {
  readonly name: string;
  /** Repository URL, `https://...` or `oci://...`. If absent, the chart must be in the agent's chart folder. */
  readonly repository?: string;
  /** SHA-256 of the packaged chart in hexadecimal. */
  readonly digest?: string;
  readonly release: string;
  readonly namespace: string;
}

/** The way an add-on is installed in a cluster. */
export type Installation =
  | {
      readonly by: "manifests";
      render(site: Site, version: string, values: JsonObject): Promise<readonly KubeObject[]> | readonly KubeObject[];
      /** Returns a message about a missing prerequisite, or undefined. The add-on waits until the prerequisite appears. */
      findMissing?(site: Site): Promise<string | undefined>;
      prepare?(site: Site): Promise<void>;
    }
  | {
      readonly by: "chart";
      readonly chart: Chart;
      /** Returns the default chart values. Values from the spec override them. */
      values(site: Site): JsonObject;
      /** Returns a message about a missing prerequisite, or undefined. */
      findMissing?(site: Site): string | undefined;
    }
  | {
      /** The cloud installs the add-on with the cluster. This package only reports its status. */
      readonly by: "cloud";
      /** The add-on's name in the cloud. */
      readonly managed: string;
      readonly workload: KubeRef;
    };

/** An add-on in the catalogue. */
export interface AddOn {
  readonly name: string;
  /** Add-ons with a lower order are installed first. */
  readonly order: number;
  /** Default version, used if the cluster's spec does not name one. */
  readonly version: string;
  /** If true, only the default version can be installed. */
  readonly isFixed?: boolean;
  /** Provisioners of the clusters that can have the add-on. Default: all. */
  readonly provisioners?: readonly string[];
  /** Clouds that support the add-on. Default: all. */
  readonly clouds?: readonly string[];
  /** When to install the add-on. `asked` requires an entry in `spec.addOns`. `when` is the path of a spec field that must be true. */
  readonly wanted: "always" | "asked" | { readonly when: string };
  readonly install: Installation;
}

export interface AddOnStatus {
  readonly name: string;
  readonly version: string;
  readonly phase: "READY" | "INSTALLING" | "FAILED" | "WAITING" | "SKIPPED";
  readonly message: string;
}
