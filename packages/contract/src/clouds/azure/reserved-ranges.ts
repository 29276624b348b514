/** Address ranges that Azure does not accept in virtual networks. */
export const networkReserved: readonly string[] = [
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "255.255.255.255/32",
];

/** Address ranges that AKS uses internally. They must not overlap the network, the pods or the Services of a cluster. */
export const clusterReserved: readonly string[] = ["169.254.0.0/16", "172.30.0.0/16", "172.31.0.0/16", "192.0.2.0/24"];
