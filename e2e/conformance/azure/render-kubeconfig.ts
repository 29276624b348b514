import type { Resource } from "./arm-store.ts";

/** Renders the kubeconfig that AKS returns for a cluster. */
export function renderKubeconfig({ name, properties }: Resource): string {
  const server = `https://${properties.fqdn ?? properties.privateFQDN}:443`;
  const authority = Buffer.from("authority").toString("base64");
  const user =
    properties.aadProfile === undefined
      ? `    client-certificate-data: ${authority}\n    client-key-data: ${authority}\n    token: abc\n`
      : "    exec:\n      apiVersion: client.authentication.k8s.io/v1beta1\n      command: kubelogin\n      args: [get-token]\n";
  return [
    "apiVersion: v1\nkind: Config\n",
    `clusters:\n- name: ${name}\n  cluster:\n    certificate-authority-data: ${authority}\n    server: ${server}\n`,
    `users:\n- name: clusterUser_${name}\n  user:\n${user}`,
    `contexts:\n- name: ${name}\n  context:\n    cluster: ${name}\n    user: clusterUser_${name}\n`,
    `current-context: ${name}\n`,
  ].join("");
}
