/** Every simulated cluster has the contents of the default cloud's managed service. */
export { eksContents as defaultContents } from "./aws/eks/cluster-contents.ts";
