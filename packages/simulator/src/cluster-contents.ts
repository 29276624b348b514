/** Every simulated cluster starts with the contents that EKS installs, regardless of its cloud. */
export { eksContents as defaultContents } from "./aws/eks/cluster-contents.ts";
