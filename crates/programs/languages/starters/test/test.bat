@echo off
rem Plays the beginning of a match, which example.jsonl holds, without quintain: .\test.bat
rem Every turn must be answered with an action; whether that is allowed, a match shows. In every line
rem of the player, "type" must come first here.
setlocal
cd /d "%~dp0"
set place=%TEMP%\test-%RANDOM%%RANDOM%
mkdir "%place%"
if errorlevel 1 exit /b 1
call :test
set code=%ERRORLEVEL%
rmdir /s /q "%place%"
exit /b %code%

:test
PREPARE
COMMAND <example.jsonl >"%place%\said"
set code=%ERRORLEVEL%
if not "%code%"=="0" (
    echo it ended with exit code %code%; see its standard error above
    exit /b 1
)
set turns=0
set answers=0
set wrong=0
for /f "tokens=2 delims=:, " %%a in (example.jsonl) do if [%%a]==["turn"] set /a turns+=1
for /f "usebackq tokens=1,2 delims=:,} " %%a in ("%place%\said") do (
    if [%%b]==["action"] set /a answers+=1
    if not [%%b]==["action"] if not [%%b]==["ready"] set wrong=1
)
if "%wrong%"=="1" (
    echo standard output belongs to the protocol, and a line of it is not a message;
    echo print it to standard error. These are the lines:
    type "%place%\said"
    exit /b 1
)
if not "%answers%"=="%turns%" (
    echo %answers% answers to %turns% turns
    exit /b 1
)
echo ok: %turns% turns, each answered with an action
if exist lessons echo the lessons are not run here; quintain bot check runs them
exit /b 0
