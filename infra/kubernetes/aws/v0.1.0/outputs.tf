output "cluster_name" {
  description = "Name of the cluster in AWS."
  value       = try(aws_eks_cluster.this.name, null)
}

output "cluster_arn" {
  description = "ARN of the cluster."
  value       = try(aws_eks_cluster.this.arn, null)
}

output "endpoint" {
  description = "URL of the API server."
  value       = try(aws_eks_cluster.this.endpoint, null)
}

output "certificate_authority" {
  description = "CA certificate of the API server, as base64-encoded PEM."
  value       = try(aws_eks_cluster.this.certificate_authority[0].data, null)
}

output "version" {
  description = "Kubernetes minor version of the control plane."
  value       = try(aws_eks_cluster.this.version, null)
}

output "security_group_id" {
  description = "Id of the security group shared by the control plane and the workers."
  value       = try(aws_eks_cluster.this.vpc_config[0].cluster_security_group_id, null)
}

output "oidc_issuer" {
  description = "URL of the OIDC issuer of the cluster's service account tokens."
  value       = try(aws_eks_cluster.this.identity[0].oidc[0].issuer, null)
}

output "oidc_provider_arn" {
  description = "ARN of the IAM OIDC provider for this issuer."
  value       = try(aws_iam_openid_connect_provider.this.arn, null)
}

output "cluster_role_arn" {
  description = "ARN of the control plane's role."
  value       = local.cluster_role_arn
}

output "node_role_arn" {
  description = "ARN of the workers' role."
  value       = local.node_role_arn
}

output "node_group_names" {
  description = "Names of the node groups."
  value       = sort(keys(aws_eks_node_group.pool))
}

output "ready_nodes" {
  description = "Number of workers in all node groups."
  value       = sum(concat([0], [for group in aws_eks_node_group.pool : group.scaling_config[0].desired_size]))
}
