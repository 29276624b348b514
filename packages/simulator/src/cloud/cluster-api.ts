/** The address and the certificate authority of a cluster's API. */
export interface ClusterApi {
  readonly endpoint: string;
  readonly caPem: string;
}

/** Returns the address and the certificate authority of a simulated cluster's API. */
export type DescribeClusterApi = (cluster: {
  readonly tenant: string;
  readonly region: string;
  readonly name: string;
}) => Promise<ClusterApi>;
