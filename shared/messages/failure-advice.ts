// What to do about a failed build.
import { type Message, message, messagesOf, sentences } from './message.js';

export const failureAdvice = sentences({
  fix_compile_error_here: {
    en: 'Fix the compile error at the location shown, then build again.',
    ko: '표시된 위치의 컴파일 오류를 고친 뒤 다시 빌드하세요.',
  },
  fix_compile_error: {
    en: 'Fix the compile error that the log shows, then build again.',
    ko: '로그에 표시된 컴파일 오류를 고친 뒤 다시 빌드하세요.',
  },
  check_linking: {
    en: 'Check the linked libraries, frameworks and target architectures.',
    ko: '링크하는 라이브러리, 프레임워크, 대상 아키텍처를 확인하세요.',
  },
  fix_test: {
    en: 'Fix the failing test, or the code that it tests.',
    ko: '실패한 테스트 또는 테스트 대상 코드를 고치세요.',
  },
  find_trap: {
    en: 'The test process crashed; look for a trap or fatal error above in the log.',
    ko: '테스트 프로세스가 비정상 종료되었습니다. 로그의 앞부분에서 trap이나 fatal error를 찾아보세요.',
  },
  read_end_of_log: {
    en: 'Read the last lines of the log: the script ended with an error there.',
    ko: '스크립트가 오류로 끝났습니다. 로그의 마지막 줄을 확인하세요.',
  },
  install_command: {
    en: 'Install the command in the script, or correct its name or PATH.',
    ko: '스크립트에서 명령을 설치하거나, 명령 이름 또는 PATH를 고치세요.',
  },
  make_executable: {
    en: 'Make the file executable (chmod +x) or run it through its interpreter.',
    ko: '파일에 실행 권한을 주거나(chmod +x) 인터프리터로 실행하세요.',
  },
  find_first_error: {
    en: 'Look for the first "error:" in the log; xcodebuild failed after it.',
    ko: 'xcodebuild가 실패했습니다. 로그에서 첫 번째 "error:"를 찾아보세요.',
  },
  check_signing: {
    en: 'Check team, certificate and provisioning profile, or build without signing.',
    ko: '팀, 인증서, 프로비저닝 프로파일을 확인하거나 서명 없이 빌드하세요.',
  },
  correct_store_problem: {
    en: 'Correct the problem that App Store Connect or the notary service reports, increase the build number, and upload again.',
    ko: 'App Store Connect 또는 공증 서비스가 알린 문제를 고치고 빌드 번호를 올린 뒤 다시 업로드하세요.',
  },
  check_packages: {
    en: 'Check the package versions and that their repositories can be read.',
    ko: '패키지 버전과 패키지 저장소의 접근 권한을 확인하세요.',
  },
  commit_podfile_lock: {
    en: 'Run pod install locally and commit Podfile and Podfile.lock.',
    ko: '로컬에서 pod install을 실행하고 Podfile과 Podfile.lock을 커밋하세요.',
  },
  list_schemes: {
    en: 'List schemes and destinations with xcodebuild -list.',
    ko: 'xcodebuild -list 명령으로 스킴과 대상을 확인하세요.',
  },
  raise_timeout: {
    en: 'Increase timeout_min, or make the build shorter.',
    ko: '제한 시간(timeout_min)을 늘리거나 빌드 시간을 줄이세요.',
  },
  free_disk: {
    en: 'The build filled the disk: remove files that it does not need, or build with clean_tree.',
    ko: '빌드가 디스크를 가득 채웠습니다. 필요 없는 파일을 지우거나 clean_tree로 빌드하세요.',
  },
  check_address: {
    en: 'Check the address; a private repository needs the secret GIT_TOKEN.',
    ko: '주소를 확인하세요. 비공개 저장소에는 GIT_TOKEN 시크릿이 필요합니다.',
  },
  push_commit: {
    en: 'Push the commit, branch or tag first, or correct its name.',
    ko: '커밋, 브랜치 또는 태그를 먼저 푸시하거나 이름을 고치세요.',
  },
  reduce_environment: {
    en: 'Remove unneeded secrets, or put large values into files of the upload: an environment is limited to about 1 MiB.',
    ko: '필요 없는 시크릿을 삭제하거나 큰 값은 업로드할 파일에 넣으세요. 환경 변수는 모두 합쳐 약 1MiB까지 사용할 수 있습니다.',
  },
  build_again: {
    en: 'Your code is not the cause: send the same build again.',
    ko: '코드 문제가 아닙니다. 같은 빌드를 다시 실행하세요.',
  },
  choose_xcode: {
    en: 'The Mac does not have this Xcode version: choose another version, or try again later.',
    ko: 'Mac에 이 Xcode 버전이 없습니다. 다른 버전을 선택하거나 나중에 다시 시도하세요.',
  },
  set_secrets_again: {
    en: 'Set the named secrets again or remove them, then send the same build again.',
    ko: '표시된 시크릿을 다시 저장하거나 삭제한 뒤 같은 빌드를 다시 실행하세요.',
  },
  keep_host_files: {
    en: 'Change the script: it removed or changed files of the host agent, and would fail again.',
    ko: '스크립트가 호스트 에이전트의 파일을 지우거나 변경했습니다. 다시 실행해도 실패하므로 스크립트를 수정하세요.',
  },
  fewer_jobs: {
    en: 'The process was killed, often for lack of memory: build with fewer parallel jobs.',
    ko: '메모리 부족 등으로 프로세스가 강제 종료되었습니다. 병렬 작업 수를 줄여 빌드하세요.',
  },
  compiler_crashed: {
    en: 'The compiler crashed; build again, then try another Xcode version.',
    ko: '컴파일러가 비정상 종료되었습니다. 다시 빌드해 보고, 계속되면 다른 Xcode 버전을 사용하세요.',
  },
  upload_source: {
    en: 'The code host did not answer the build host: build again later, or send the source as an upload (upload_id).',
    ko: '코드 호스트가 빌드 호스트에 응답하지 않았습니다. 나중에 다시 빌드하거나 소스를 업로드하여 빌드하세요(upload_id).',
  },
  try_network_later: {
    en: 'Another server could not be reached; build again later.',
    ko: '다른 서버에 연결하지 못했습니다. 나중에 다시 빌드하세요.',
  },
  list_destinations: {
    en: 'List what is available: xcodebuild -list for schemes, xcodebuild -showdestinations and xcrun simctl list for destinations.',
    ko: 'xcodebuild -list로 스킴을, xcodebuild -showdestinations와 xcrun simctl list로 대상을 확인하세요.',
  },
  correct_xcodebuild_call: {
    en: 'Correct the problem that xcodebuild reports: check its options, paths and the Xcode version.',
    ko: 'xcodebuild가 알린 문제를 고치세요. 옵션, 경로, Xcode 버전을 확인하세요.',
  },
  install_runtime: {
    en: 'Use a destination whose runtime the Mac has, or add the runtime to the setup of the Mac.',
    ko: 'Mac에 런타임이 있는 대상을 지정하거나 Mac의 구성에 해당 런타임을 추가하세요.',
  },
  file_made_twice: {
    en: 'Two steps write the same file, usually an Info.plist or a resource that is in two build phases: remove it from one of them.',
    ko: '두 단계가 같은 파일을 만듭니다. 대개 Info.plist나 리소스가 두 빌드 단계에 들어 있습니다. 한쪽에서 제거하세요.',
  },
  reorder_phases: {
    en: 'Targets or build phases wait for each other: reorder the phases of the named target.',
    ko: '타깃이나 빌드 단계가 서로를 기다립니다. 표시된 타깃의 단계 순서를 바꾸세요.',
  },
  declare_script_files: {
    en: "Declare the file among the script phase's inputs and outputs, or set ENABLE_USER_SCRIPT_SANDBOXING=NO.",
    ko: '파일을 스크립트 단계의 입력과 출력에 선언하거나 ENABLE_USER_SCRIPT_SANDBOXING=NO를 설정하세요.',
  },
  pod_install: {
    en: 'Run pod install in the script before building.',
    ko: '스크립트에서 빌드하기 전에 pod install을 실행하세요.',
  },
  add_missing_file: {
    en: 'The project refers to a missing file: add it to the upload, or create it before this step.',
    ko: '프로젝트가 참조하는 파일이 없습니다. 업로드에 추가하거나 이 단계 전에 만드세요.',
  },
  resolve_packages_first: {
    en: 'Resolve packages first (xcodebuild -resolvePackageDependencies), and include Package.resolved in the sources.',
    ko: '먼저 패키지를 해석하고(xcodebuild -resolvePackageDependencies) Package.resolved를 함께 보내세요.',
  },
  build_again_or_other_xcode: {
    en: 'Build again; if it fails again, try another Xcode version.',
    ko: '다시 빌드하고, 또 실패하면 다른 Xcode 버전을 사용하세요.',
  },
  correct_target: {
    en: 'Correct the build settings or phases of the named target.',
    ko: '표시된 타깃의 빌드 설정이나 단계를 고치세요.',
  },
  read_script_phase: {
    en: 'A script phase of the Xcode project failed: read its output right above.',
    ko: 'Xcode 프로젝트의 스크립트 단계가 실패했습니다. 바로 위의 출력을 확인하세요.',
  },
  follow_lint_rule: {
    en: 'A lint rule counts this as an error: follow it, or change the rule.',
    ko: '린트 규칙이 이 코드를 오류로 처리합니다. 규칙에 맞게 고치거나 규칙을 변경하세요.',
  },
  add_module: {
    en: 'Add the module to the target that imports it (package product, pod or framework), and resolve dependencies first.',
    ko: '모듈을 가져오는 타깃에 해당 모듈(패키지 제품, pod 또는 프레임워크)을 추가하고 먼저 의존성을 해석하세요.',
  },
  check_headers: {
    en: 'Check the header search paths, and that the package with the header is built or installed first.',
    ko: '헤더 검색 경로를 확인하고, 헤더가 있는 패키지를 먼저 빌드하거나 설치하세요.',
  },
  correct_package_swift: {
    en: 'Correct Package.swift; swift package describe shows whether it can be read.',
    ko: 'Package.swift를 고치세요. swift package describe로 읽을 수 있는지 확인할 수 있습니다.',
  },
  compiler_crashed_on_code: {
    en: 'The compiler crashed on this code: try another Xcode version, or write the code named above differently.',
    ko: '이 코드에서 컴파일러가 비정상 종료되었습니다. 다른 Xcode 버전을 사용하거나 위에 표시된 코드를 다르게 작성하세요.',
  },
  no_byte_order_mark: {
    en: 'Save the script as UTF-8 without a byte order mark (BOM).',
    ko: '스크립트를 바이트 순서 표식(BOM) 없는 UTF-8로 저장하세요.',
  },
  lf_line_ends: {
    en: 'Save the script with LF line endings, without CR.',
    ko: '스크립트를 CR 없이 LF 줄바꿈으로 저장하세요.',
  },
  correct_path: {
    en: 'Correct the path, which is relative to the work folder, or create the file first.',
    ko: '작업 폴더를 기준으로 한 경로를 고치거나 파일을 먼저 만드세요.',
  },
  pass_less: {
    en: 'Pass less at once: send the list through xargs or a file, and keep large values in files instead of environment variables.',
    ko: '한 번에 전달하는 양을 줄이세요. 목록은 xargs나 파일로 전달하고, 큰 값은 환경 변수 대신 파일에 저장하세요.',
  },
  file_for_other_machine: {
    en: 'The file is not a program for this Mac: build or download it for macOS on its architecture.',
    ko: '이 Mac에서 실행할 수 없는 프로그램입니다. macOS와 이 Mac의 아키텍처용으로 빌드하거나 다운로드하세요.',
  },
  correct_interpreter_line: {
    en: 'Correct the first line (#!) of the file. If it ends in CR LF, save the file with LF line endings.',
    ko: '파일의 첫 줄(#!)을 고치세요. 줄이 CR LF로 끝나면 CR 없이 LF 줄바꿈으로 저장하세요.',
  },
  correct_script_interpreter: {
    en: 'Correct the first line (#!) of the script, or run it through its interpreter.',
    ko: '스크립트의 첫 줄(#!)을 고치거나 인터프리터로 실행하세요.',
  },
  ask_for_installed_xcode: {
    en: 'Request an Xcode version that the Mac has (field xcode of the build), and do not change DEVELOPER_DIR.',
    ko: 'Mac에 있는 Xcode를 지정하고(빌드의 xcode 필드) DEVELOPER_DIR은 그대로 두세요.',
  },
  license_not_accepted: {
    en: 'Choose another Xcode; the operator of the Mac has to accept the license of this one.',
    ko: '다른 Xcode를 선택하세요. 이 Xcode의 라이선스는 Mac의 운영자가 동의해야 합니다.',
  },
  program_crashed: {
    en: 'This program crashed: look at its last output in the log.',
    ko: '프로그램이 비정상 종료되었습니다. 로그에서 이 프로그램의 마지막 출력을 확인하세요.',
  },
  ended_by_something_else: {
    en: 'Another process ended this program: check the script, and the time limits that it sets.',
    ko: '다른 곳에서 이 프로그램을 종료했습니다. 스크립트 자체 또는 스크립트가 설정한 시간 제한을 확인하세요.',
  },
  protected_by_macos: {
    en: 'macOS protects this file or folder: work below the work folder, HOME or TMPDIR.',
    ko: 'macOS가 보호하는 파일이나 폴더입니다. 작업 폴더, HOME 또는 TMPDIR 아래에서 작업하세요.',
  },
  check_gradle_repositories: {
    en: 'Check the repositories and versions in the Gradle build; the network may have failed too.',
    ko: 'Gradle 빌드의 저장소와 버전을 확인하세요. 네트워크 문제일 수도 있습니다.',
  },
  read_gradle: {
    en: 'The log excerpt shows what Gradle could not do.',
    ko: 'Gradle이 처리하지 못한 작업을 로그의 해당 줄에서 확인하세요.',
  },
  panicked_here: {
    en: 'The program panicked at the location shown.',
    ko: '표시된 위치에서 프로그램이 패닉으로 종료되었습니다.',
  },
  panicked: {
    en: 'The program panicked: the given lines of the log show where.',
    ko: '프로그램이 패닉으로 종료되었습니다. 로그의 해당 줄에서 위치를 확인하세요.',
  },
  link_symbol: {
    en: 'Link the library that defines this symbol, for this architecture, or correct its name.',
    ko: '이 심벌을 정의한 라이브러리를 해당 아키텍처용으로 링크하거나 심벌 이름을 고치세요.',
  },
  symbol_twice: {
    en: 'The symbol is defined twice: a file or library is linked twice, or a definition is in a header.',
    ko: '심벌이 두 번 정의되었습니다. 파일이나 라이브러리가 두 번 링크되었거나 헤더에 정의가 들어 있습니다.',
  },
  add_library: {
    en: 'Add the library or framework to the target, and check its search paths.',
    ko: '라이브러리나 프레임워크를 타깃에 추가하고 검색 경로를 확인하세요.',
  },
  binary_for_other_platform: {
    en: 'This binary is built for another platform: use an XCFramework, or build for its platform.',
    ko: '다른 플랫폼용으로 빌드된 바이너리입니다. XCFramework를 사용하거나 해당 플랫폼용으로 빌드하세요.',
  },
  correct_error_here: {
    en: 'Correct the error at this location.',
    ko: '이 위치의 오류를 고치세요.',
  },
  read_given_lines: {
    en: 'The log excerpt shows what went wrong.',
    ko: '로그의 해당 줄에서 무엇이 잘못되었는지 확인하세요.',
  },
  check_export_options: {
    en: 'Check the export options plist and the archive.',
    ko: '내보내기 옵션 plist와 아카이브를 확인하세요.',
  },
  set_lang: {
    en: 'Set LANG=en_US.UTF-8 in the script.',
    ko: '스크립트에서 LANG=en_US.UTF-8을 설정하세요.',
  },
  check_address_and_credentials: {
    en: 'Check the address; a private repository needs credentials that the build can use (secret GIT_TOKEN).',
    ko: '주소를 확인하세요. 비공개 저장소에는 빌드가 사용할 인증 정보(GIT_TOKEN 시크릿)가 필요합니다.',
  },
  relax_requirement: {
    en: 'The packages require incompatible versions: relax one of the requirements.',
    ko: '패키지들이 서로 호환되지 않는 버전을 요구합니다. 버전 조건 하나를 완화하세요.',
  },
  newer_xcode_or_older_package: {
    en: 'Choose a newer Xcode for the build, or an older version of the package.',
    ko: '더 새로운 Xcode로 빌드하거나 더 오래된 패키지 버전을 사용하세요.',
  },
  check_binary_target: {
    en: 'Check address and checksum of the binary target; the file behind it may have been replaced.',
    ko: '바이너리 타깃의 주소와 체크섬을 확인하세요. 해당 주소의 파일이 바뀌었을 수 있습니다.',
  },
  pod_repo_update: {
    en: 'Run pod install --repo-update, or relax the version in the Podfile, and commit Podfile.lock.',
    ko: 'pod install --repo-update를 실행하거나 Podfile의 버전 조건을 완화한 뒤 Podfile.lock을 커밋하세요.',
  },
  bundle_install: {
    en: 'Run bundle install in the script, and commit Gemfile.lock.',
    ko: '스크립트에서 bundle install을 실행하고 Gemfile.lock을 커밋하세요.',
  },
  install_ruby: {
    en: 'Install in the script the Ruby and Bundler versions that the Gemfile requires, or relax the requirement.',
    ko: 'Gemfile이 요구하는 Ruby와 Bundler 버전을 스크립트에서 설치하거나 요구 조건을 완화하세요.',
  },
  commit_package_lock: {
    en: 'Run npm install locally and commit package-lock.json.',
    ko: '로컬에서 npm install을 실행하고 package-lock.json을 커밋하세요.',
  },
  commit_yarn_lock: {
    en: 'Run yarn install locally and commit yarn.lock.',
    ko: '로컬에서 yarn install을 실행하고 yarn.lock을 커밋하세요.',
  },
  set_team: {
    en: 'Set DEVELOPMENT_TEAM, or build without signing (CODE_SIGNING_ALLOWED=NO).',
    ko: 'DEVELOPMENT_TEAM을 설정하거나 서명 없이 빌드하세요(CODE_SIGNING_ALLOWED=NO).',
  },
  install_profile: {
    en: 'Install a provisioning profile for this bundle id, team and set of capabilities, or build without signing (CODE_SIGNING_ALLOWED=NO).',
    ko: '이 번들 ID, 팀, 기능에 맞는 프로비저닝 프로파일을 설치하거나 서명 없이 빌드하세요(CODE_SIGNING_ALLOWED=NO).',
  },
  import_certificate: {
    en: 'Import the certificate with its private key into a keychain of the build, or build without signing.',
    ko: '인증서와 개인 키를 빌드의 키체인으로 가져오거나 서명 없이 빌드하세요.',
  },
  one_signing_style: {
    en: 'Let either Xcode sign (CODE_SIGN_STYLE=Automatic) or name identity and profile yourself, not both.',
    ko: 'Xcode가 서명하게 하거나(CODE_SIGN_STYLE=Automatic) ID와 프로파일을 직접 지정하세요. 둘을 함께 사용할 수 없습니다.',
  },
  unlock_keychain: {
    en: 'Unlock the keychain in the script (security unlock-keychain) and let codesign use the key (security set-key-partition-list).',
    ko: '스크립트에서 키체인의 잠금을 풀고(security unlock-keychain) codesign이 키를 사용하도록 허용하세요(security set-key-partition-list).',
  },
  import_wwdr: {
    en: "Import Apple's intermediate certificate (WWDR) into the keychain too.",
    ko: 'Apple의 중간 인증서(WWDR)도 키체인으로 가져오세요.',
  },
  remove_attributes: {
    en: 'Remove extended attributes before signing: xattr -cr on the folder of the app.',
    ko: '서명하기 전에 앱 폴더에서 xattr -cr을 실행해 확장 속성을 제거하세요.',
  },
  name_identity: {
    en: 'Name a signing identity that is in the keychain of the build exactly once.',
    ko: '빌드의 키체인에 정확히 하나만 있는 서명 ID를 지정하세요.',
  },
  check_p12: {
    en: 'Check the certificate file (.p12, with its private key) and its password; a secret that holds it must be decoded (base64 --decode) first.',
    ko: '인증서 파일(개인 키가 포함된 .p12)과 암호를 확인하세요. 시크릿에 저장한 파일은 먼저 디코딩해야 합니다(base64 --decode).',
  },
  check_keychain: {
    en: 'Check path and password of the keychain, and that it is created (security create-keychain) only once.',
    ko: '키체인의 경로와 암호를 확인하고, 키체인을 한 번만 만드는지(security create-keychain) 확인하세요.',
  },
  check_store_credentials: {
    en: 'Check the credentials that the upload uses: Apple ID and app-specific password, or API key, issuer and team.',
    ko: '업로드에 사용하는 인증 정보를 확인하세요. Apple ID와 앱 암호, 또는 API 키와 발급자 및 팀이 필요합니다.',
  },
  read_notary_log: {
    en: 'Read what the notary service found: xcrun notarytool log SUBMISSION_ID with the same credentials.',
    ko: '같은 인증 정보로 xcrun notarytool log SUBMISSION_ID를 실행해 공증 서비스의 결과를 확인하세요.',
  },
  no_prompt: {
    en: 'Give the answer as an option, in a file or as a secret, or use the non-interactive mode of the program.',
    ko: '응답을 옵션, 파일 또는 시크릿으로 전달하거나 프로그램의 비대화형 모드를 사용하세요.',
  },
  no_sudo: {
    en: 'Do it without sudo: a build cannot enter a password.',
    ko: 'sudo 없이 실행하세요. 빌드에서는 암호를 입력할 수 없습니다.',
  },
  test_ends_process: {
    en: 'This test crashed its process: run the test alone. The lines above say why it crashed.',
    ko: '이 테스트가 프로세스를 종료시켰습니다. 테스트를 단독으로 실행하고 위의 줄에서 원인을 확인하세요.',
  },
  tests_not_started: {
    en: 'The tests could not start: look for a crash of the app at its launch, or a missing framework.',
    ko: '테스트를 시작하지 못했습니다. 앱이 실행될 때 비정상 종료되었는지, 빠진 프레임워크가 있는지 확인하세요.',
  },
  faster_test: {
    en: 'Make the test faster, or raise its execution time allowance.',
    ko: '테스트를 더 빠르게 만들거나 실행 시간 제한을 늘리세요.',
  },
  trapped_here: {
    en: 'A program run by the script trapped at this location.',
    ko: '스크립트가 실행한 프로그램이 이 위치에서 트랩으로 종료되었습니다.',
  },
  trapped: {
    en: 'A program run by the script trapped: the given lines of the log show where.',
    ko: '스크립트가 실행한 프로그램이 트랩으로 종료되었습니다. 로그의 해당 줄에서 위치를 확인하세요.',
  },
});

export type AdviceCode = keyof typeof failureAdvice;

/** What to do about a build in any state, besides the advice about its failure. */
export const nextSteps = sentences({
  ...failureAdvice,
  wait_for_end: {
    en: 'The build has not ended: wait for its end.',
    ko: '빌드가 아직 끝나지 않았습니다. 끝날 때까지 기다리세요.',
  },
  succeeded: { en: 'The build succeeded.', ko: '빌드가 성공했습니다.' },
  cancelled: {
    en: 'The build was canceled ({reason}). If you still need it, build again.',
    ko: '빌드가 취소되었습니다({reason}). 필요하면 다시 빌드하세요.',
  },
  never_started: {
    en: 'The build never started ({reason}). Check the Macs and the queue, then build again.',
    ko: '빌드가 시작되지 않았습니다({reason}). Mac과 대기열을 확인한 뒤 다시 빌드하세요.',
  },
  service_at_fault: {
    en: 'The service is at fault: build again unchanged.',
    ko: '서비스 문제입니다. 같은 빌드를 다시 실행하세요.',
  },
  change_code: {
    en: 'Change the code or the script, then build again.',
    ko: '코드나 스크립트를 고친 뒤 다시 빌드하세요.',
  },
  cause_unknown: {
    en: 'The cause is not certain: read the end of the log. If it names no cause, build once more.',
    ko: '원인이 확실하지 않습니다. 로그의 끝부분을 확인하고, 원인이 없으면 한 번 다시 빌드하세요.',
  },
});

export const nextStep = messagesOf(nextSteps);

export const adviceOf = (code: AdviceCode): Message => message(failureAdvice, code);
