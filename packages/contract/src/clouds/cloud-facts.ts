/**
 * Facts about one cloud that need no SDK. Every cloud fills in the same fields, so that generic code looks up a fact instead of
 * comparing names. Code that calls the cloud belongs in the package `clouds`.
 */
export interface CloudFacts {
  /** The name that users see. */
  readonly title: string;
  /** The services that entities are built with, as one line for users. */
  readonly services: string;
  /** Whether this release can build entities in real accounts of the cloud. */
  readonly isSupported: boolean;
  /** The name of the managed Kubernetes service. Empty for a cloud without one. */
  readonly kubernetesService: string;
  /** The cloud's words for things that messages mention, in the singular. */
  readonly terms: { readonly network: string; readonly publicIp: string };
  readonly regions: RegionFacts;
  readonly machines: MachineFacts;
  readonly network: NetworkFacts;
  readonly terraform: TerraformFacts;
  readonly agent: AgentFacts;
  /** How kubectl fetches tokens with the user's own identity in the cloud. Absent when the cloud has no such program. */
  readonly kubeconfig?: KubeconfigFacts;
  readonly examples: ExampleFacts;
  /** Fields of a cluster in the first design of the file format that only this cloud has. They are still accepted. */
  readonly firstClusterFields: readonly string[];
}

/** Values for the examples of help pages. */
export interface ExampleFacts {
  /** Flags that create a real account. */
  readonly accountFlags: string;
  /** A network, as Terraform's type and id. */
  readonly network: { readonly type: string; readonly id: string };
  /** A subnet, as Terraform's type and id. */
  readonly subnet: { readonly type: string; readonly id: string };
  /** An attribute of the network and another value for it. */
  readonly change: string;
  /** A type and the error message when its quota is exhausted. */
  readonly exhausted: { readonly type: string; readonly message: string };
}

/** Names of regions and zones. */
export interface RegionFacts {
  /** Every known region with the suffixes of its zones, one character each. Regions that a cloud opens later are valid too. */
  readonly known: Readonly<Record<string, string>>;
  /** The region that forms, examples and the quickstart use. Empty for a cloud without regions. */
  readonly default: string;
  /** Returns whether a text has the form of a region's name. The region need not be known. */
  isName(text: string): boolean;
  /** Zones of a network that names none, without their region. */
  readonly defaultZones: readonly string[];
  /** Returns the full name of a zone that may be given by its suffix alone: `b` in `eu-west-1` is `eu-west-1b`. */
  renderZone(region: string, zone: string): string;
}

/** Names of machine types. */
export interface MachineFacts {
  /** The type of workers that name none. */
  readonly defaultType: string;
  /** Types that forms suggest, the default first. */
  readonly suggestedTypes: readonly string[];
}

/** How the cloud treats address ranges. */
export interface NetworkFacts {
  /** Addresses of each subnet that the cloud keeps for itself. */
  readonly reservedAddresses: number;
}

/** Names that Terraform uses for the cloud. */
export interface TerraformFacts {
  /** Local names of the cloud's providers. */
  readonly providers: readonly string[];
  /** The source address of the main provider. Empty for a cloud that is not built with Terraform. */
  readonly source: string;
  /** Resources that are a managed cluster and its machines. The simulator serves a Kubernetes API for each such cluster. */
  readonly cluster?: { readonly cluster: string; readonly machines: string };
  /** The resource that is a volume which a cluster may have created. */
  readonly volume?: string;
  /** Resources that upload a file of the machine that runs Terraform, with the attribute that names the file. */
  readonly fileUploads: readonly (readonly [type: RegExp, attribute: string])[];
}

/** What the cloud requires of an agent that uses it. */
export interface AgentFacts {
  /** Environment variables of the agent that replace the cloud's own API addresses. Their values are URLs. */
  readonly endpointVariables: RegExp | undefined;
  /** Environment variable that names the file with the agent's identity token. */
  readonly identityTokenVariable: string | undefined;
  /** Returns the label that agents must have to reach an account, from the account's part for this cloud. */
  findLabel(account: Readonly<Record<string, unknown>>): string | undefined;
}

/** The program of a kubeconfig that prints tokens for a cluster. */
export interface KubeconfigFacts {
  /** The program, which is also the value of the CLI's `--exec` flag. */
  readonly command: string;
  renderArgs(cluster: ClusterName): readonly string[];
  /** Reads the cluster back from a program's arguments. Undefined if they are for another purpose. */
  findCluster(args: readonly string[]): ClusterName | undefined;
}

/** How a cloud identifies a cluster. */
export interface ClusterName {
  readonly cluster: string;
  readonly region: string;
}
