# v0.1.0 uses different names for the administrators' access entries. Without these blocks, an upgrade would delete and create the same
# entries at the same time.
moved {
  from = aws_eks_access_entry.admin
  to   = aws_eks_access_entry.this
}

moved {
  from = aws_eks_access_policy_association.admin
  to   = aws_eks_access_policy_association.this
}
