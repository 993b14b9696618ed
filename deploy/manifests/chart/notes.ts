/** Helm's message after an installation, with the next two commands. */
export const notes = `Millrace {{ .Chart.AppVersion }} is installed in the namespace {{ .Release.Namespace }}.

  kubectl rollout status -n {{ .Release.Namespace }} deployment --timeout=2m
  kubectl get jobflows,daemonjobs,suspendpolicies -A

{{- if .Values.redis.trial }}

The Redis that came along has no disk and one Pod: it is for trials. For your own, make a Secret millrace-redis
and set redis.trial=false (docs/install.md, Redis).
{{- end }}
{{- if not .Values.crds.keep }}

crds.keep is false: to uninstall this release removes every JobFlow, DaemonJob and suspend policy.
{{- end }}
`;
