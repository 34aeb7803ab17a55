# Part of zerofish-build-appliance: the tools root.
key_files_tools () { :; }
build_tools () { die "not yet"; }
