output "cluster_name" {
  description = "Name of the cluster in AWS."
  value       = try(aws_eks_cluster.this.name, null)
}

output "cluster_arn" {
  description = "ARN of the cluster."
  value       = try(aws_eks_cluster.this.arn, null)
}

output "region" {
  description = "Region of the cluster."
  value       = var.region
}

output "vpc_id" {
  description = "Id of the cluster's VPC."
  value       = try(aws_eks_cluster.this.vpc_config[0].vpc_id, null)
}

output "worker_subnet_ids" {
  description = "Ids of the subnets that workers are placed in."
  value       = local.workers
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

output "kms_key_arn" {
  description = "ARN of the KMS key that encrypts the cluster's secrets."
  value       = local.key_arn
}

output "cluster_role_arn" {
  description = "ARN of the control plane's role."
  value       = local.cluster_role_arn
}

output "node_role_arn" {
  description = "ARN of the workers' role."
  value       = local.node_role_arn
}

output "ebs_csi_role_arn" {
  description = "ARN of the EBS CSI driver's role; empty without the driver."
  value       = local.ebs_csi_role_arn == null ? "" : local.ebs_csi_role_arn
}

output "load_balancer_controller_role_arn" {
  description = "ARN of the load balancer controller's role; empty without the controller."
  value       = local.load_balancer_role_arn == null ? "" : local.load_balancer_role_arn
}

output "karpenter_role_arn" {
  description = "ARN of Karpenter's role; empty without Karpenter."
  value       = var.karpenter.enabled ? local.karpenter_role_arn : ""
}

output "karpenter_node_role_arn" {
  description = "ARN of the role of Karpenter's nodes; empty without Karpenter."
  value       = var.karpenter.enabled ? local.karpenter_node_role_arn : ""
}

output "karpenter_node_role_name" {
  description = "Name of the role of Karpenter's nodes, for Karpenter's node classes; empty without Karpenter."
  value       = var.karpenter.enabled ? try(element(split("/", local.karpenter_node_role_arn), -1), null) : ""
}

output "karpenter_queue_name" {
  description = "Name of the queue with interruption events for Karpenter; empty without Karpenter."
  value       = var.karpenter.enabled ? one([for queue in aws_sqs_queue.karpenter : queue.name]) : ""
}

output "addon_versions" {
  description = "Versions of the EKS add-ons, by name."
  value       = { for addon in concat(values(aws_eks_addon.early), values(aws_eks_addon.late)) : addon.addon_name => addon.addon_version }
}

output "addon_minors" {
  description = "Kubernetes minor version that each add-on's version was chosen for, by add-on name."
  value       = { for name in concat(keys(aws_eks_addon.early), keys(aws_eks_addon.late)) : name => try(var.addons[name].chosen_for == null ? aws_eks_cluster.this.version : var.addons[name].chosen_for, null) }
}

output "node_group_names" {
  description = "Names of the node pools that have a managed node group."
  value       = sort(keys(aws_eks_node_group.pool))
}

output "ready_nodes" {
  description = "Number of workers in all node groups."
  value       = sum(concat([0], [for group in aws_eks_node_group.pool : group.scaling_config[0].desired_size]))
}

output "choices" {
  description = "Defaults that were chosen when the cluster and its pools were created. Passed back in as variables, so that later versions of the platform do not change them."
  value = {
    since               = var.kept_defaults.since
    public_access_cidrs = var.kept_defaults.public_access_cidrs
    support_type        = var.support_type == "AUTO" ? local.support_type : var.kept_defaults.support_type
    creator_arn         = var.creator_arn
    node_pools = {
      for name, group in aws_eks_node_group.pool : name => {
        subnet_ids    = try(sort(group.subnet_ids), [])
        is_zoned      = try(length(var.node_pools[name].zones) > 0, false)
        encrypts_root = try(var.node_pools[name].encrypts_root, false)
        tags          = try(var.node_pools[name].tags, {})
      }
    }
  }
}
