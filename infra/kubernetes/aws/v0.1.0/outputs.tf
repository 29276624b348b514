output "cluster_name" {
  description = "Name of the cluster in AWS."
  value       = aws_eks_cluster.this.name
}

output "cluster_arn" {
  description = "ARN of the cluster."
  value       = aws_eks_cluster.this.arn
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

output "cluster_role_arn" {
  description = "Role of the control plane."
  value       = local.cluster_role_arn
}

output "node_role_arn" {
  description = "Role of the workers."
  value       = local.node_role_arn
}

output "node_group_names" {
  description = "Names of the node groups."
  value       = sort(keys(aws_eks_node_group.pool))
}

output "ready_nodes" {
  description = "Workers of all node groups."
  value       = sum(concat([0], [for group in aws_eks_node_group.pool : group.scaling_config[0].desired_size]))
}
