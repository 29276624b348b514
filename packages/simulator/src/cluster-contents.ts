/** Every simulated cluster starts with the contents that EKS installs, whatever its cloud. */
export { eksContents as defaultContents } from "./aws/eks/cluster-contents.ts";
