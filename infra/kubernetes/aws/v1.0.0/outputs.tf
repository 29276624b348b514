output "cluster_name" {
  description = "Name of the cluster in AWS."
  value       = aws_eks_cluster.this.name
}

output "cluster_arn" {
  description = "ARN of the cluster."
  value       = aws_eks_cluster.this.arn
}

output "region" {
  description = "Region of the cluster."
  value       = var.region
}

output "vpc_id" {
  description = "Network that the cluster lies in."
  value       = aws_eks_cluster.this.vpc_config[0].vpc_id
}

output "worker_subnet_ids" {
  description = "Subnets that workers are put into."
  value       = local.workers
}

output "endpoint" {
  description = "Address of the API server."
  value       = aws_eks_cluster.this.endpoint
}

output "certificate_authority" {
  description = "Certificate of the API server's authority, PEM in base64."
  value       = aws_eks_cluster.this.certificate_authority[0].data
}

output "version" {
  description = "Minor version that the control plane runs."
  value       = aws_eks_cluster.this.version
}

output "security_group_id" {
  description = "Security group that control plane and workers share."
  value       = aws_eks_cluster.this.vpc_config[0].cluster_security_group_id
}

output "oidc_issuer" {
  description = "Who issues the tokens of the cluster's service accounts."
  value       = aws_eks_cluster.this.identity[0].oidc[0].issuer
}

output "oidc_provider_arn" {
  description = "ARN of the provider by which IAM trusts that issuer."
  value       = aws_iam_openid_connect_provider.this.arn
}

output "kms_key_arn" {
  description = "Key that encrypts secrets of the cluster."
  value       = local.key_arn
}

output "cluster_role_arn" {
  description = "Role of the control plane."
  value       = local.cluster_role_arn
}

output "node_role_arn" {
  description = "Role of the workers."
  value       = local.node_role_arn
}

output "ebs_csi_role_arn" {
  description = "Role of the driver of EBS volumes; empty when there is none."
  value       = local.ebs_csi_role_arn == null ? "" : local.ebs_csi_role_arn
}

output "load_balancer_controller_role_arn" {
  description = "Role of the load balancer controller; empty when there is none."
  value       = local.load_balancer_role_arn == null ? "" : local.load_balancer_role_arn
}

output "karpenter_role_arn" {
  description = "Role of Karpenter; empty when it is not wanted."
  value       = var.karpenter.enabled ? local.karpenter_role_arn : ""
}

output "karpenter_node_role_arn" {
  description = "Role of the workers that Karpenter makes; empty when it is not wanted."
  value       = var.karpenter.enabled ? local.karpenter_node_role_arn : ""
}

output "karpenter_node_role_name" {
  description = "Name of that role, as Karpenter's node classes want it; empty when it is not wanted."
  value       = var.karpenter.enabled ? element(split("/", local.karpenter_node_role_arn), -1) : ""
}

output "karpenter_queue_name" {
  description = "Queue that tells Karpenter of interruptions; empty when it is not wanted."
  value       = var.karpenter.enabled ? aws_sqs_queue.karpenter["made"].name : ""
}

output "addon_versions" {
  description = "Versions of the add-ons that EKS manages, by name."
  value       = { for addon in concat(values(aws_eks_addon.early), values(aws_eks_addon.late)) : addon.addon_name => addon.addon_version }
}

output "addon_minors" {
  description = "Minor versions of Kubernetes that the versions of add-ons were chosen for, by name."
  value       = { for name in concat(keys(aws_eks_addon.early), keys(aws_eks_addon.late)) : name => var.addons[name].chosen_for == null ? aws_eks_cluster.this.version : var.addons[name].chosen_for }
}

output "node_group_names" {
  description = "Names of the node pools that have a group."
  value       = sort(keys(aws_eks_node_group.pool))
}

output "ready_nodes" {
  description = "Workers of all node groups."
  value       = sum(concat([0], [for group in aws_eks_node_group.pool : group.scaling_config[0].desired_size]))
}
