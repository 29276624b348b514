/** The inputs and expected texts of the console test that differ between clouds. */
export interface CloudJourney {
  readonly cloud: string;
  readonly title: string;
  readonly region: string;
  /**
   * A switch in the network form: its collapsed group (if any), its label, the YAML that it produces, and a range that the address planner
   * then shows.
   */
  readonly network: { readonly group?: string; readonly turnOn: string; readonly yaml: RegExp; readonly range: string };
  /** The cloud's own terms for a network, a cluster and a bucket, as the console shows them. */
  readonly words: { readonly network: string; readonly cluster: string; readonly bucket: string };
  /** An option to choose in the cluster form, and the spec field and value that it sets. */
  readonly choice: { readonly label: string; readonly option: string | RegExp; readonly field: string; readonly value: unknown };
  /**
   * A resource to change outside the platform: its type, the text to replace in its attributes, the new text, and the attribute that drifts
   * as a result.
   */
  readonly drift: { readonly type: string; readonly from: string; readonly to: string; readonly attribute: string };
  /** A machine type that the cloud does not offer in the region. */
  readonly unknownMachine: string;
  /** The command that kubectl runs to get tokens. */
  readonly plugIn: string;
  /** Matches terms of other clouds, which must not appear in the console. */
  readonly foreign: RegExp;
}

export const cloudJourneys: readonly CloudJourney[] = [
  {
    cloud: "aws",
    title: "AWS",
    region: "eu-west-1",
    network: { group: "Logs and reserved addresses", turnOn: "Flow logs", yaml: /flowLogs: true/, range: "10.0.128.0/20" },
    words: { network: "VPC", cluster: "EKS cluster", bucket: "S3 bucket" },
    choice: { label: "Access to the API server", option: /^Private/, field: "endpoint.public", value: false },
    drift: {
      type: "aws_vpc",
      from: '"enable_dns_hostnames": true',
      to: '"enable_dns_hostnames": false',
      attribute: "enable_dns_hostnames",
    },
    unknownMachine: "mac2.metal",
    plugIn: "aws",
    foreign: /\b(GKE|AKS|Google|Azure|google_|azurerm_|subscription|VNet)\b/,
  },
  {
    cloud: "gcp",
    title: "Google Cloud",
    region: "europe-west1",
    network: { group: "Routing, logs and peers", turnOn: "VPC flow logs", yaml: /flowLogs: true/, range: "10.0.128.0/17" },
    words: { network: "VPC network", cluster: "GKE cluster", bucket: "Cloud Storage bucket" },
    choice: { label: "Release channel", option: "Stable", field: "gcp.releaseChannel", value: "stable" },
    drift: {
      type: "google_compute_network",
      from: '"routing_mode": "REGIONAL"',
      to: '"routing_mode": "GLOBAL"',
      attribute: "routing_mode",
    },
    unknownMachine: "t3.medium",
    plugIn: "gke-gcloud-auth-plugin",
    foreign: /\b(EKS|AKS|AWS|Azure|aws_|azurerm_|EC2|EBS|S3|ARN|subscription)\b/,
  },
  {
    cloud: "azure",
    title: "Azure",
    region: "westeurope",
    network: { turnOn: "Subnet for API servers", yaml: /apiServerSubnet: true/, range: "10.0.64.0/20" },
    words: { network: "virtual network", cluster: "AKS cluster", bucket: "blob container" },
    choice: { label: "Tier", option: /^Free/, field: "azure.tier", value: "free" },
    drift: {
      type: "azurerm_virtual_network",
      from: '"flow_timeout_in_minutes": null',
      to: '"flow_timeout_in_minutes": 10',
      attribute: "flow_timeout_in_minutes",
    },
    unknownMachine: "t3.medium",
    plugIn: "kubelogin",
    foreign: /\b(EKS|GKE|AWS|Google|aws_|google_|EC2|EBS|S3|ARN|VPC)\b/,
  },
];
